// What strangers send to the guard's OAuth endpoints, and signed-in clients to /mcp.

export const refusedRedirects = [
	'javascript:alert(1)',
	'data:text/html,x',
	'file:///etc/passwd',
	'about:blank',
	'blob:https://x.example/1',
	'vbscript:x',
	'view-source:https://x.example',
	'chrome://settings',
	'chrome-extension://abc/x',
	'ms-settings:privacy',
	'intent://x#Intent;end',
	'http://attacker.example/callback',
	'http://127.0.0.1.attacker.example/callback',
	'http://localhost@attacker.example/callback',
	'https://x.example/callback#fragment',
	'https://user:pass@x.example/callback',
	'//x.example/callback',
	'/callback',
	'',
]

export const takenRedirects = [
	'http://127.0.0.1:4321/callback',
	'http://localhost/callback',
	'http://[::1]:9/callback',
	'https://client.example/callback',
	'cursor://anysphere.cursor-retrieval/oauth/callback',
	'com.example.app:/callback',
]

/** `[name, body]` for POST /mcp with a good token: answered by JSON-RPC or HTTP, below 500, and never by a result. */
export const hostileMessages: [string, string][] = [
	['no JSON', '{"jsonrpc"'],
	['null', 'null'],
	['an empty batch', '[]'],
	[
		'a batch of a thousand',
		`[${Array.from({ length: 1000 }, () => '{"jsonrpc":"2.0","method":"ping","id":1}').join(',')}]`,
	],
	['no method', '{"jsonrpc":"2.0","id":1}'],
	['a method that is an object', '{"jsonrpc":"2.0","id":1,"method":{}}'],
	['a method nobody knows', '{"jsonrpc":"2.0","id":1,"method":"shell/run","params":{}}'],
	['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
	['parameters that are a text', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}'],
	[
		'a tool nobody knows',
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
	],
	['no arguments', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"guard_verify"}}'],
	[
		'arguments of another type',
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"guard_verify","arguments":{"claims":"x","evidence":{}}}}',
	],
	[
		'a thousand claims',
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"guard_verify","arguments":{"evidence":"x","claims":${JSON.stringify(Array.from({ length: 1000 }, () => 'x'))}}}}`,
	],
	[
		'a text over the limit',
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"guard_screen","arguments":{"text":"${'word '.repeat(60_000)}"}}}`,
	],
	[
		'half a surrogate pair',
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"guard_noul","arguments":{"propositions":[7]}}}',
	],
	[
		'50,000 brackets',
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
	],
]
