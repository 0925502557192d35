// Requests as bytes on a socket: what no HTTP library would send. `{token}`, `{run_key}`, `{slug}` and `{host}` are
// filled in by the test.

export interface HostileRequest {
	name: string
	/** Head lines; `host` is added, and `content-length` where there is a body. */
	head: string[]
	body?: string | Buffer
	status: number[]
	code?: string
}

const owner = 'authorization: Bearer {token}'
const key = 'authorization: Bearer {run_key}'
const json = 'content-type: application/json'
const long = (letters: number) => 'x'.repeat(letters)
const post = (path: string, ...more: string[]) => [`POST ${path} HTTP/1.1`, json, ...more]
const get = (path: string, ...more: string[]) => [`GET ${path} HTTP/1.1`, ...more]

const smuggled: Record<string, HostileRequest['head']> = {
	'two lengths that differ': post('/v1/tokens', owner, 'content-length: 5', 'content-length: 6'),
	'a length and chunks': post('/v1/tokens', owner, 'content-length: 5', 'transfer-encoding: chunked'),
	'a length that is none': post('/v1/tokens', owner, 'content-length: five'),
	'a negative length': post('/v1/tokens', owner, 'content-length: -1'),
	'a transfer coding nobody knows': post('/v1/tokens', owner, 'transfer-encoding: xchunked'),
	'a header with a space before its colon': get('/healthz', 'x-a : b'),
	'a header with a NUL': get('/healthz', 'x-a: b\0c'),
	'a folded header': get('/healthz', 'x-a: b', ' c: d'),
	'a method nobody knows': ['BREW /healthz HTTP/1.1'],
	'a version nobody knows': ['GET /healthz HTTP/9.9'],
	'20 KB in one header': get('/healthz', `x-a: ${long(20_000)}`),
}

const paths: Record<string, [string, number[]]> = {
	'a slug of 101 letters': [`/d/${long(101)}`, [404, 401]],
	'a slug of 5,000 letters': [`/d/${long(5_000)}`, [404, 414, 401]],
	'a slug with a NUL': ['/d/%00', [400]],
	'a slug that is no UTF-8': ['/d/%ff', [400]],
	'half an escape': ['/d/%', [400]],
	'a way up': ['/d/../../v1/account', [404, 400, 401]],
	'an escaped way up': ['/d/..%2f..%2fv1%2faccount', [404, 400, 401]],
	'a run of 101 letters': [`/d/{slug}/runs/${long(101)}`, [404]],
	'a deployment of 101 letters': [`/v1/deployments/${long(101)}`, [404]],
	'a key of 300 letters': [`/v1/deployments/dep_x/keys/${long(300)}`, [404, 405]],
	'a credential of 300 letters': [`/d/{slug}/credentials/${long(300)}`, [404, 405]],
	'a memory path of 5,000 letters': [`/d/{slug}/memory/${long(5_000)}`, [400, 404, 414]],
	'a memory path that leads out': ['/d/{slug}/memory/..%2f..%2fetc%2fpasswd', [400, 404]],
	'a cursor that is none': ['/v1/deployments?cursor=%27%20or%201%3D1', [400]],
	'a limit that is none': ['/v1/deployments?limit=1e9', [400]],
	'a limit below zero': ['/v1/deployments?limit=-1', [400]],
	'a parameter nobody knows': ['/v1/deployments?admin=true', [400]],
	'a parameter ten thousand times': [`/v1/deployments?${'limit=1&'.repeat(1_500)}`, [400, 414, 431]],
	'a status with a quote': [`/d/{slug}/runs?status=%27;drop%20table%20runs;--`, [400]],
	'an id of another kind': ['/v1/deployments/run_01h455vb4pex5vsknk084sn02q', [404]],
	'an id with a NUL': ['/v1/deployments/dep_%00', [400, 404]],
	'prototype names': ['/v1/deployments/__proto__', [404]],
	'a whole address': ['http://other.example/v1/account', [200, 400, 404]],
	'a file': ['/../../../../etc/passwd', [400, 404]],
}

const bodies: Record<string, [string | Buffer, number[]]> = {
	null: ['null', [400]],
	'a text': ['"name"', [400]],
	'a number': ['1', [400]],
	'a list': ['[]', [400]],
	true: ['true', [400]],
	'no JSON': ['{"name"', [400]],
	'two documents': ['{}{}', [400]],
	'no UTF-8': [Buffer.from([0x22, 0xff, 0x22]), [400]],
	'UTF-16': [Buffer.from('{"name":"x"}', 'utf16le'), [400]],
	'half a surrogate pair': ['{"name":"\\ud800"}', [400]],
	'a NUL': ['{"name":"a\\u0000b"}', [400]],
	__proto__: ['{"name":"x","__proto__":{"a":1}}', [400]],
	'constructor.prototype': ['{"name":"x","constructor":{"prototype":{}}}', [400]],
	'an unknown member': ['{"name":"x","is_operator":true}', [400]],
	'100,000 brackets': ['['.repeat(100_000), [400]],
	'100,000 brackets that close': [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, [400]],
	'a number of a million digits': [`{"name":${'9'.repeat(900_000)}}`, [400]],
	'two megabytes': [`{"name":"${long(2_000_000)}"}`, [413]],
}

const runs: Record<string, [string, number[], string?]> = {
	null: ['null', [400]],
	'inputs that are null': ['{"inputs":null}', [400, 422]],
	'inputs that are a list': ['{"inputs":[]}', [400, 422]],
	'inputs nobody asked for': ['{"inputs":{"extra":1}}', [422], 'inputs_invalid'],
	'inputs nested 20,000 deep': [
		`{"inputs":{"program":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
		[400, 422],
	],
	'inputs with __proto__': ['{"inputs":{"__proto__":{"program":"x"}}}', [400]],
	'a deployment of its own choice': ['{"inputs":{"program":"return 1"},"deployment":"dep_x"}', [400]],
}

const callers: Record<string, [string[], number[], string?]> = {
	'no credential': [get('/v1/account'), [401], 'unauthenticated'],
	'an empty credential': [get('/v1/account', 'authorization: Bearer '), [400, 401]],
	'a basic credential': [get('/v1/account', 'authorization: Basic YTpi'), [401], 'unauthenticated'],
	'a token of 8 KB': [get('/v1/account', `authorization: Bearer ${long(8_000)}`), [401, 431]],
	'a token with a wrong checksum': [
		get('/v1/account', 'authorization: Bearer {token}x'),
		[401],
		'unauthenticated',
	],
	'two credentials': [get('/v1/account', owner, 'authorization: Bearer other'), [200, 400, 401]],
	'a token in the query': [get('/v1/account?access_token={token}'), [400, 401]],
	'a run key at /v1': [get('/v1/account', key), [401, 403]],
	'a run key at credentials': [
		['PUT /d/{slug}/credentials/provider HTTP/1.1', json, key],
		[401, 403, 400],
	],
	'an owner at /v1/admin': [get('/v1/admin/accounts', owner), [403, 404]],
	'a token of this API at /mcp': [post('/mcp', owner, 'accept: application/json, text/event-stream'), [401]],
	'a session that is made up': [get('/v1/account', 'cookie: berth_session=x; __Host-berth_session=x'), [401]],
	'a bad token with a body that is none': [post('/v1/tokens', 'authorization: Bearer nonsense'), [401]],
	'a bad run key with a body that is none': [post('/d/{slug}/run', 'authorization: Bearer nonsense'), [401]],
	'an Idempotency-Key of 300 letters': [post('/v1/tokens', owner, `idempotency-key: ${long(300)}`), [400]],
	'a Last-Event-ID that is none': [get('/d/{slug}/runs/run_x/events', key, 'last-event-id: -1'), [400, 404]],
	'a method that is not taken': [['DELETE /v1/account HTTP/1.1', owner], [405]],
	'a content type nobody knows': [
		['POST /v1/tokens HTTP/1.1', 'content-type: text/xml', owner],
		[400, 415],
	],
	'a body that is compressed': [post('/v1/tokens', owner, 'content-encoding: gzip'), [400, 415]],
	'an upload without its boundary': [
		['POST /v1/deployments HTTP/1.1', 'content-type: multipart/form-data', owner],
		[400],
	],
}

export const hostileRequests: HostileRequest[] = [
	...Object.entries(smuggled).map(([name, head]) => ({
		name: `HTTP with ${name}`,
		head,
		status: [400, 405, 431, 501, 505],
	})),
	...Object.entries(paths).map(([name, [path, status]]) => ({
		name: `a path: ${name}`,
		head: get(path, owner),
		status,
	})),
	...Object.entries(bodies).map(([name, [body, status]]) => ({
		name: `a body: ${name}`,
		head: post('/v1/tokens', owner),
		body,
		status,
	})),
	...Object.entries(runs).map(([name, [body, status, code]]) => ({
		name: `a run: ${name}`,
		head: post('/d/{slug}/run', key),
		body,
		status,
		...(code && { code }),
	})),
	...Object.entries(callers).map(([name, [head, status, code]]) => ({
		name: `a caller: ${name}`,
		head,
		body: head[0]?.startsWith('GET') || head[0]?.startsWith('DELETE') ? undefined : '{"x":',
		status,
		...(code && { code }),
	})),
] as HostileRequest[]
