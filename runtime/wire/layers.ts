/** The layers around a sandbox process, as settings and `berth doctor` name them. */
export type Layer =
	| 'user'
	| 'privileges'
	| 'files'
	| 'network'
	| 'processes'
	| 'seccomp'
	| 'descriptors'
	| 'dumps'
	| 'memory'
	| 'cgroup'
	| 'capabilities'

/** Of the probe: `done`, or the code of the error. */
export interface Attempts {
	readsEtc: string
	readsProc: string
	writes: string
	signals: string
	becomesRoot: string
	mounts: string
	unshares: string
	/** `none`, where it may look and finds none. */
	interfaces: string
	connects: string
}
