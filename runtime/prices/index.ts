// What a model call costs.
export { type Price, type PriceTable, prices } from './list.ts'
export { isPriced, type ModelUsage, priceOf, setPrices } from './price.ts'
