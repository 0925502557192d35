import { LinkButton } from '../parts/button.tsx'
import { Empty, Page } from '../parts/page.tsx'

export function Missing() {
	return (
		<Page title="Not here">
			<Empty title="There is no page at this address">
				<LinkButton href="/">To the agents</LinkButton>
			</Empty>
		</Page>
	)
}
