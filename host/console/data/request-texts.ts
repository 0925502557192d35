import { formPart, type SampleFile, sampleForm } from '../../api/sample.ts'

interface Asked {
	url: string
	name: string
	inputs: Record<string, unknown>
	runKey: string
}

/** One request, as it is written in each language, and who hears of its end. Every text is quoted by the rules of its language. */
export function requestTexts({
	url,
	name,
	inputs: schema,
	runKey,
}: Asked): { language: string; text: string }[] {
	const { inputs, files } = sampleForm(schema)
	if (files.length > 0)
		return [
			...formTexts({ url, name, inputs, runKey }, files),
			{ language: 'Webhook receiver', text: receiver },
		]
	const body = { inputs }
	const address = JSON.stringify(`${url}/run`)
	const bearer = JSON.stringify(`Bearer ${runKey}`)
	return [
		{
			language: 'curl',
			text: curl(url, runKey, [
				`-H ${shell('Content-Type: application/json')}`,
				`-d ${shell(JSON.stringify(body))}`,
			]),
		},
		{
			language: 'JavaScript',
			text: `const response = await fetch(${address}, {
  method: "POST",
  headers: { Authorization: ${bearer}, "Content-Type": "application/json" },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),
})
const run = await response.json()
console.log(response.ok ? run.output : run.detail)`,
		},
		{
			language: 'Python',
			text: `import json, urllib.request

request = urllib.request.Request(
  ${address},
  headers={"Authorization": ${bearer}, "Content-Type": "application/json"},
  data=json.dumps(${indented(python(body, ''))}).encode(),
)
with urllib.request.urlopen(request) as response:
  print(json.load(response)["output"])`,
		},
		{
			language: 'Berth CLI',
			text: `npm run berth -- run ${shell(name)} --inputs ${shell(JSON.stringify(body.inputs))}`,
		},
		{ language: 'Webhook receiver', text: receiver },
	]
}

const curl = (url: string, runKey: string, more: string[]) =>
	[`curl -X POST ${shell(`${url}/run`)}`, `-H ${shell(`Authorization: Bearer ${runKey}`)}`, ...more].join(
		' \\\n  ',
	)

/** The same with files. Python's own library makes no forms: there each file is uploaded first. */
function formTexts(
	{ url, name, inputs, runKey }: Asked,
	files: SampleFile[],
): { language: string; text: string }[] {
	const bearer = JSON.stringify(`Bearer ${runKey}`)
	return [
		{
			language: 'curl',
			text: curl(url, runKey, [
				`-F ${shell(`inputs=${JSON.stringify(inputs)}`)}`,
				...files.map((file) => `-F ${shell(formPart(file))}`),
			]),
		},
		{
			language: 'JavaScript',
			text: `import { openAsBlob } from "node:fs"

const form = new FormData()
form.set("inputs", JSON.stringify(${indented(JSON.stringify(inputs, null, 2))}))
${files.map(appended).join('\n')}
const response = await fetch(${JSON.stringify(`${url}/run`)}, {
  method: "POST",
  headers: { Authorization: ${bearer} },
  body: form,
})
const run = await response.json()
console.log(response.ok ? run.output : run.detail)`,
		},
		{
			language: 'Python',
			text: `import json, urllib.parse, urllib.request

def post(path, data, type):
  headers = {"Authorization": ${bearer}, "Content-Type": type}
  with urllib.request.urlopen(urllib.request.Request(${JSON.stringify(url)} + path, headers=headers, data=data)) as response:
    return json.load(response)

def upload(path, type):
  with open(path, "rb") as file:
    name = urllib.parse.quote(path.split("/")[-1])
    return {"file": post("/files?name=" + name, file.read(), type)["file"]}

inputs = ${python(inputs, '')}
${files.map(uploaded).join('\n')}
print(post("/run", json.dumps({"inputs": inputs}).encode(), "application/json")["output"])`,
		},
		{
			language: 'Berth CLI',
			text: `npm run berth -- run ${shell(name)} --inputs ${shell(JSON.stringify(inputs))} ${files
				.map((file) => `--file ${shell(`${file.name}=${file.path}`)}`)
				.join(' ')}`,
		},
	]
}

function appended({ name, path, type }: SampleFile): string {
	const [quoted, options] = [JSON.stringify(path), type ? `, { type: ${JSON.stringify(type)} }` : '']
	return `form.append(${JSON.stringify(name)}, await openAsBlob(${quoted}${options}), ${quoted})`
}

function uploaded({ name, path, type = 'application/octet-stream', list }: SampleFile): string {
	const upload = `upload(${JSON.stringify(path)}, ${JSON.stringify(type)})`
	return `inputs[${JSON.stringify(name)}] = ${list ? `[${upload}]` : upload}`
}

/** In Node: hears of every end of a run, and believes only what the endpoint's secret has signed. */
const receiver = `import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const secret = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64")

createServer(async (request, response) => {
  const body = await text(request)
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = request.headers
  const own = Buffer.from("v1," + createHmac("sha256", secret).update(\`\${id}.\${at}.\${body}\`).digest("base64"))
  const signed = signatures.split(" ").some((one) => one.length === own.length && timingSafeEqual(Buffer.from(one, "latin1"), own))
  const fresh = Math.abs(Date.now() / 1000 - Number(at)) < 300
  response.writeHead(signed && fresh ? 204 : 401).end()
  if (!signed || !fresh) return
  // The same id may come again: take it once.
  const { type, data } = JSON.parse(body)
  console.log(id, type, data.id, data.output)
}).listen(process.env.PORT ?? 3000)`

/** For a POSIX shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const indented = (text: string) => text.replaceAll('\n', '\n  ')

/** JSON's texts and numbers are Python's; its three words are not. */
function python(value: unknown, indent: string): string {
	const inner = `${indent}  `
	if (value === null) return 'None'
	if (typeof value === 'boolean') return value ? 'True' : 'False'
	if (typeof value !== 'object') return JSON.stringify(value)
	const list = Array.isArray(value)
	const parts = list
		? value.map((one) => python(one, inner))
		: Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one, inner)}`)
	const [open, close] = list ? '[]' : '{}'
	if (parts.length === 0) return `${open}${close}`
	return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}
