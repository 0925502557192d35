import type { Agent } from '../../owner/client/index.ts'
import { plural } from './format.ts'

type Searching = Agent['web_search'][number]

/** That a model's provider searches the web, and where. */
export function searchText({ provider, model, max_uses, ...where }: Searching): string {
	const { allowed_domains, blocked_domains, user_location } = where
	return [
		`${model} at ${provider}, ${plural(max_uses, 'time')} in a model call`,
		...(allowed_domains ? [`only ${allowed_domains.join(', ')}`] : []),
		...(blocked_domains ? [`never ${blocked_domains.join(', ')}`] : []),
		...(user_location ? [`near ${Object.values(user_location).join(', ')}`] : []),
	].join('; ')
}
