import { Command, CommanderError } from 'commander'
import { documentOf, UsageError } from './failure.ts'
import { createIo } from './io.ts'

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
	// Whoever read our output has closed it (`berth … | head`): nothing is left to say, and that is no failure of ours.
	if (code === 'EPIPE') process.exit(0)
	process.stderr.write(`berth: the output cannot be written (${code ?? message})\n`)
	process.exit(1)
})

type Add = (program: Command) => void

/** The order of the help: sign in, make an agent, deploy it, run it, look after it, run a host. */
const commands: Record<string, () => Promise<Add>> = {
	login: async () => (await import('./commands/login.ts')).loginCommand,
	logout: async () => (await import('./commands/logout.ts')).logoutCommand,
	whoami: async () => (await import('./commands/whoami.ts')).whoamiCommand,
	tokens: async () => (await import('./commands/tokens.ts')).tokensCommand,
	ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand,
	init: async () => (await import('./commands/init.ts')).initCommand,
	dev: async () => (await import('./commands/dev.ts')).devCommand,
	test: async () => (await import('./commands/test.ts')).testCommand,
	bundle: async () => (await import('./commands/bundle.ts')).bundleCommand,
	inspect: async () => (await import('./commands/inspect.ts')).inspectCommand,
	deploy: async () => (await import('./commands/deploy.ts')).deployCommand,
	connect: async () => (await import('./commands/connect.ts')).connectCommand,
	credentials: async () => (await import('./commands/credentials.ts')).credentialsCommand,
	tools: async () => (await import('./commands/tools.ts')).toolsCommand,
	keys: async () => (await import('./commands/keys.ts')).keysCommand,
	rotate: async () => (await import('./commands/rotate.ts')).rotateCommand,
	run: async () => (await import('./commands/run.ts')).runCommand,
	runs: async () => (await import('./commands/runs.ts')).runsCommand,
	events: async () => (await import('./commands/runs.ts')).eventsCommand,
	cancel: async () => (await import('./commands/runs.ts')).cancelCommand,
	replay: async () => (await import('./commands/replay.ts')).replayCommand,
	approvals: async () => (await import('./commands/approvals.ts')).approvalsCommand,
	approve: async () => (await import('./commands/approvals.ts')).approveCommand,
	deny: async () => (await import('./commands/approvals.ts')).denyCommand,
	alerts: async () => (await import('./commands/alerts.ts')).alertsCommand,
	list: async () => (await import('./commands/list.ts')).listCommand,
	stop: async () => (await import('./commands/lifecycle.ts')).stopCommand,
	start: async () => (await import('./commands/lifecycle.ts')).startCommand,
	versions: async () => (await import('./commands/versions.ts')).versionsCommand,
	update: async () => (await import('./commands/versions.ts')).updateCommand,
	rollback: async () => (await import('./commands/versions.ts')).rollbackCommand,
	delete: async () => (await import('./commands/lifecycle.ts')).deleteCommand,
	memory: async () => (await import('./commands/memory.ts')).memoryCommand,
	webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommand,
	schedules: async () => (await import('./commands/schedules.ts')).schedulesCommand,
	budgets: async () => (await import('./commands/budgets.ts')).budgetsCommand,
	retain: async () => (await import('./commands/erase.ts')).retainCommand,
	erase: async () => (await import('./commands/erase.ts')).eraseCommand,
	serve: async () => (await import('./commands/serve.ts')).serveCommand,
	service: async () => (await import('./commands/service.ts')).serviceCommand,
	admin: async () => (await import('./commands/admin.ts')).adminCommand,
	judge: async () => (await import('./commands/judge.ts')).judgeCommand,
	backup: async () => (await import('./commands/backup.ts')).backupCommand,
	restore: async () => (await import('./commands/restore.ts')).restoreCommand,
	'master-key': async () => (await import('./commands/master-key.ts')).masterKeyCommand,
	upgrade: async () => (await import('./commands/upgrade.ts')).upgradeCommand,
	doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
	settings: async () => (await import('./commands/settings.ts')).settingsCommand,
	completion: async () => (await import('./commands/completion.ts')).completionCommand,
}

const program = new Command('berth')
	.description('A home for deployed AI agents')
	.option('-V, --version', 'the version of Berth')
	// Behind a command `--version` is that command's own.
	.enablePositionalOptions()
	.exitOverride()
	.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'berth: ')) })
	.showHelpAfterError('(add --help for what it takes)')

/** Only the module of the command that is called is loaded; the help, and the completion of a shell, need all. */
const [name = ''] = process.argv.slice(2)
const called = name !== 'completion' && Object.hasOwn(commands, name) ? commands[name] : undefined
const version = name === '--version' || name === '-V'
const needed = version ? [] : called ? [called] : Object.values(commands)
const loaded = await Promise.all(needed.map((load) => load()))
for (const add of loaded) add(program)

try {
	if (version) {
		const { version: ours } = await import('../../lib/root.ts')
		createIo({ json: process.argv.includes('--json') }).result({ version: ours }, ours)
	} else await program.parseAsync()
} catch (error) {
	if (!(error instanceof CommanderError)) throw error
	// Help is no failure; everything else commander finds, and has told, is wrong usage.
	process.exitCode = error.exitCode === 0 ? 0 : 2
	if (error.exitCode !== 0 && process.argv.includes('--json'))
		createIo({ json: true }).result(documentOf(new UsageError(error.message.replace(/^error: /, ''))), '')
}
