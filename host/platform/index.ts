// Accounts, plans, credits, and who is calling.

export {
	type Caller,
	type Owner,
	type RunKey,
	requireCaller,
	requireOperator,
	requireOwner,
	requireRunKey,
	requireUploader,
} from './auth.ts'
export type { IssuedSecret, SecretKind, Secrets } from './secrets.ts'
