// Budgets: what runs of a deployment or of a run key may use of models in a month. Prices: what models cost.

export { type Holder, monthOf, usd } from './accounts.ts'
export { priceRoutes } from './price-routes.ts'
export { openPrices, priceTable } from './prices.ts'
export { reportBudgets } from './report.ts'
export { requireBudget } from './require.ts'
export { releaseAbandoned, reserve, reserveShare, settle } from './reserve.ts'
export { budgetChanged } from './set.ts'
