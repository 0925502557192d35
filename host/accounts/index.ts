// Accounts, plans and credits: their rows, routes and pages.

export { firstOperatorLink } from './first-operator.ts'
export { type BalanceChange, changeBalances } from './ledger.ts'
export { ensurePlans } from './plans.ts'
export { platformRoutes } from './routes.ts'
