// Who is calling: secrets, sessions, sign-in, and what each may do.

export { type AccountRow, accountRows, findAccount, findAccounts } from './account.ts'
export { type Actor, actorOf, noteAbout, noteOperation, noteReceipt, pageOperations } from './actor.ts'
export { type Caller, type OwnedDeployment, refuseAnonymous, type Scope } from './auth.ts'
export { readCookie, readSessionCookie, requireSameOrigin, writeCookie } from './cookies.ts'
export { hashPassword } from './hashing.ts'
export { forgetOldAnswers, idempotency } from './idempotency.ts'
export { writeLocalOperator } from './local-operator.ts'
export { type Auth, type OAuthServer, openAuth } from './open.ts'
export { pageForms } from './page-forms.ts'
export { returnTo } from './return-to.ts'
export { type IssuedSecret, openSecrets, type Secrets } from './secrets.ts'
export { endSession, type SessionParts, sessionAccount, startSession } from './session.ts'
export { sessionRoutes } from './session-routes.ts'
export { type SignInAttempt, signIn } from './sign-in.ts'
export { linkPage, passwordPage, refusedPage } from './sign-in-page.ts'
export { type EndTry, networkOf, signInThrottle, type Throttle, throttled } from './throttle.ts'
export {
	consumeSignInLink,
	forgetOldTokens,
	issueToken,
	listTokens,
	refuseProgram,
	revokeToken,
	type TokenRow,
} from './tokens.ts'
