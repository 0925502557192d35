import { type BundleFault, faultLine } from '../../bundles/index.ts'
import { type FieldError, Problem } from '../http/errors.ts'

export const errorOf = (fault: BundleFault): FieldError => ({
	path: `${fault.file}${fault.pointer && `#${fault.pointer}`}`,
	message: faultLine(fault),
})

export function invalid(errors: FieldError[]): Problem {
	const count = errors.length === 1 ? 'one fault' : `${errors.length} faults`
	return new Problem('bundle_invalid', `The bundle has ${count}: ${errors[0]?.message}`, { errors })
}

/** Makes all checks, and tells what every one of them finds wrong with the bundle. */
export async function allAtOnce(checks: (() => unknown)[]): Promise<void> {
	const errors: FieldError[] = []
	for (const check of checks) {
		try {
			await check()
		} catch (error) {
			if (!(error instanceof Problem) || error.code !== 'bundle_invalid') throw error
			errors.push(...(error.parts.errors ?? []))
		}
	}
	if (errors.length > 0) throw invalid(errors)
}
