import { LinkButton } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Card } from '../../parts/page.tsx'

/** What an account without agents sees: the three ways to begin. */
export function FirstAgent() {
	return (
		<div class="stack">
			<p class="soft">Deploy your first agent. There are three ways to begin.</p>
			<div class="columns">
				<Card title="Drop a bundle">
					<div class="stack">
						<p>You have a bundle file. Drop it, name the agent, seal its credentials, and run it.</p>
						<LinkButton href="/deploy" kind="primary" icon="upload">
							Open the wizard
						</LinkButton>
					</div>
				</Card>
				<Card title="Write one">
					<div class="stack">
						<p>A new agent is a folder with a prompt and a model. Two commands make and deploy it.</p>
						<Code
							label="Commands for a new agent"
							text={'npm run berth -- init my-agent\nnpm run berth -- bundle my-agent'}
						/>
					</div>
				</Card>
				<Card title="Take an example">
					<div class="stack">
						<p>You have nothing yet but a key of OpenAI or Anthropic. The wizard has an agent for it.</p>
						<LinkButton href="/deploy" icon="upload">
							Open the wizard
						</LinkButton>
					</div>
				</Card>
			</div>
		</div>
	)
}
