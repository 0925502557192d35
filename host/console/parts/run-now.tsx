import './run-now.css'
import type { Run } from '../../owner/client/index.ts'
import { faultsOf } from '../data/action.ts'
import { client } from '../data/client.ts'
import { dollars, duration, plural, rough } from '../data/format.ts'
import { useRunStream } from '../data/run-stream.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Failure, Note } from './note.tsx'
import { Uploading } from './schema-form/file.tsx'
import { SchemaForm, useFormValue } from './schema-form/form.tsx'
import { State } from './state.tsx'

interface RunNowProps {
	/** Of the deployment. */
	url: string
	/** Schema of the inputs. */
	inputs: Record<string, unknown>
	/** What stands in the form first, where it is not the defaults. */
	initially?: Record<string, unknown>
}

/** A form from the agent's inputs, and the answer as it comes. */
export function RunNow({ url, inputs, initially }: RunNowProps) {
	const form = useFormValue(inputs, initially)
	const stream = useRunStream(url)
	const upload = async (chosen: File) => {
		const bytes = new Uint8Array(await chosen.arrayBuffer())
		const { url: _, ...stored } = await client.files.upload(url, bytes, {
			name: chosen.name,
			type: chosen.type,
		})
		return stored
	}
	const send = (event: Event) => {
		event.preventDefault()
		const ready = form.ready()
		if (ready) void stream.start(ready)
	}
	return (
		<div class="run-now">
			<form class="stack" onSubmit={send}>
				<Uploading.Provider value={upload}>
					<SchemaForm of={form} faults={faultsOf(stream.error)} />
				</Uploading.Provider>
				<div class="actions">
					<Button type="submit" kind="primary" icon="runs" busy={stream.busy}>
						Run now
					</Button>
					{stream.busy && stream.run && (
						<Button icon="stop" onClick={() => stream.cancel()}>
							Cancel run
						</Button>
					)}
				</div>
			</form>
			<section class="answer" aria-label="Answer" aria-busy={stream.busy}>
				<Failure of={stream.error} />
				{stream.busy && (
					<p class="row" role="status">
						<State of="running" label={stream.doing} />
						{stream.run && <RunLink id={stream.run} />}
					</p>
				)}
				{stream.busy && stream.text && <Text label="What the model says" of={stream.text} />}
				{stream.ended && <Ended run={stream.ended} />}
			</section>
		</div>
	)
}

function Ended({ run }: { run: Run }) {
	const { id, status, output, error, usage, created_at, completed_at } = run
	const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
	return (
		<>
			<p class="row">
				<State of={status} />
				<span class="soft">
					{completed_at && `${duration(Date.parse(completed_at) - Date.parse(created_at))} · `}
					{rough(usage.input_tokens + usage.output_tokens)} tokens
					{usage.usd !== null && ` · ${dollars(usage.usd)}`}
					{usage.failed_tool_calls > 0 && ` · ${plural(usage.failed_tool_calls, 'tool call')} failed`}
				</span>
				<RunLink id={id} />
			</p>
			{status === 'waiting' && (
				<Note tone="warn">
					<p>
						The run asks for a decision. <a href="/approvals">To the approvals</a>
					</p>
				</Note>
			)}
			{error && (
				<Note tone="bad">
					<p>{error.message}</p>
					<p class="small">{error.code}</p>
				</Note>
			)}
			{status === 'succeeded' && (
				<figure class="output">
					<Text label="Output" of={text} />
					<Copy text={text} label="Copy output" />
				</figure>
			)}
		</>
	)
}

/** Scrolls within itself, by keyboard as well. */
function Text({ label, of }: { label: string; of: string }) {
	return (
		<section class="text" tabIndex={0} aria-label={label}>
			<pre>{of}</pre>
		</section>
	)
}

function RunLink({ id }: { id: string }) {
	return <a href={`/runs/${id}`}>Open run</a>
}
