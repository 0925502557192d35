/**
 * The messages of limits and accounts (spec guard-limit.tool-errors), to the letter: clients and tests compare them.
 */
export const messages = {
	disabled: 'This Platform account cannot use Guard.',
	rate: 'Too many Guard calls. Retry after 60 seconds.',
	daily: 'Too many Guard calls today. Retry after 24 hours.',
	tokens: 'Input is over the 24,000-token limit for one Guard call.',
	maintenance: 'Guard is paused for maintenance. Try again later.',
	budget: 'Guard has reached its budget. Try again later.',
	wallet: 'Your Platform credits are too low for this Guard call. Top up in Platform Hub.',
	credits: 'Platform credits are unavailable right now',
	free_full: 'Guard is full for free accounts right now. Upgrade to a paid plan to use it.',
	full: 'Guard is full right now.',
} as const

/** A call that is turned away: nothing is counted, nothing is charged, the text goes out as it is. */
export class Refusal extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options)
		this.name = 'Refusal'
	}
}
