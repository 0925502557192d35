// The unit of `berth service install`. What systemd takes away here, the host does not need; what its sandboxes need stays:
// namespaces, its own cgroup, and an unmasked /proc.

export interface ServiceProgram {
	node: string
	launcher: string
}

/** SHUTDOWN_SECONDS of 30, STOP_GRACE_SECONDS of 120, and what a stop may take beyond them (host/start/stop.ts). */
const stopSeconds = 180

export const sysusers = 'u berth - "Berth" /var/lib/berth\n'

export const environment = `# Settings of the host (berth settings), one NAME=value a line. Readable by root alone.
#BASE_URL=https://berth.example.com
#TRUST_PROXY=127.0.0.1
#DATABASE_URL=postgres://berth:…@db.example.com/berth
`

export const unit = ({ node, launcher }: ServiceProgram): string => `[Unit]
Description=Berth, a home for deployed AI agents
Wants=network-online.target
After=network-online.target

[Service]
User=berth
Group=berth
EnvironmentFile=-/etc/berth/berth.env
Environment=DATA_DIR=/var/lib/berth
ExecStart=${node} ${launcher} serve
WorkingDirectory=/var/lib/berth
StateDirectory=berth
StateDirectoryMode=0700
UMask=0077

# The host alone is asked to stop: it lets runs end, then its runtime, its sandboxes and Postgres.
# More than SHUTDOWN_SECONDS (30), STOP_GRACE_SECONDS (120) and 20 s.
KillMode=mixed
TimeoutStopSec=${stopSeconds}
Restart=on-failure
RestartSec=2
# A sandbox that takes too much memory ends alone.
OOMPolicy=continue
# Each sandbox has a cgroup of its own below this one.
Delegate=yes

ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelModules=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
LimitCORE=0
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`
