// Accounts, plans, credits, and who is calling.

export { at, deleted } from './at.ts'
export {
	belonged,
	type Caller,
	type Owner,
	type RunKey,
	refuseAnonymous,
	requireCaller,
	requireOperator,
	requireOwner,
	requireOwnerAt,
	requireRunKey,
	requireUploader,
	type Scope,
	strangerFirst,
} from './auth.ts'
export { firstOperatorLink } from './firstOperator.ts'
export { guardPlatform } from './guardPlatform.ts'
export { idempotency } from './idempotency.ts'
export { localOperatorFile, writeLocalOperator } from './localOperator.ts'
export { ensurePlans } from './plans.ts'
export { platformRoutes } from './routes.ts'
export type { SecretKind } from './secretFormat.ts'
export { type IssuedSecret, openSecrets, type Secrets } from './secrets.ts'
export { networkOf, signInThrottle, type Throttle } from './throttle.ts'
