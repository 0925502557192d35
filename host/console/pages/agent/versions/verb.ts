/** `Roll back to v3` where it is older, `Activate v5` where it is newer. */
export const verbOf = (version: number, active: number) =>
	version < active ? `Roll back to v${version}` : `Activate v${version}`
