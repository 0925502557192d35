import { createPrivateKey } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'

/** Made for this file: localhost and 127.0.0.1, until 2126, signed by itself. */
const key =
	'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqIBlwZor+MyQhs+1QLsHbb3IDcbNIgFzK+YY2GsayYShRANCAAQQ65nB7a9z9EuPcE2bV+jjN4VNuxw2Ts2nkWADQQLf88PidW1xld69H18UYsf+ucBSuhwGNNf1ttwOlqCFgID1'
const cert = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUN43iHrU2B7WgcIEMyEBb3tF/SfswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4NDQzMVoYDzIxMjYxMDI4
MDg0NDMxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQQ65nB7a9z9EuPcE2bV+jjN4VNuxw2Ts2nkWADQQLf88PidW1xld69
H18UYsf+ucBSuhwGNNf1ttwOlqCFgID1o28wbTAdBgNVHQ4EFgQUBGxP+Xv/nFHk
XPYggGXMWEZahWwwHwYDVR0jBBgwFoAUBGxP+Xv/nFHkXPYggGXMWEZahWwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAOLUQlAW8l0akGn/Lsp0oLekOHfyRDfOC4RHMnQLKznwAiEA
xmLWYhRWlTo0erx61C6tKEYddjtFtvThkHF2X8v8jAc=
-----END CERTIFICATE-----`

const seen: string[] = []
const server = createServer(
	{
		key: createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' }).export({
			format: 'pem',
			type: 'pkcs8',
		}),
		cert,
	},
	(request, response) => {
		seen.push(String(request.headers.authorization))
		response.end('sealed')
	},
)
let port = 0
beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const request = {
	method: 'GET' as const,
	headers: { authorization: 'Bearer secret' },
	headersMs: 5_000,
	idleBodyMs: 5_000,
	maxBytes: 1_000,
}

// Proves: egress.certificates
test('nothing is sent to a server whose certificate does not hold, or is for another name', async () => {
	const egress = createEgress({
		allow: ['127.0.0.1'],
		lookup: async () => [{ address: '127.0.0.1', family: 4 }],
	})
	const distrusted = egress.text(`https://localhost:${port}/`, request)
	await expect(distrusted).rejects.toMatchObject({ code: 'egress_unreachable', message: /SELF_SIGNED/ })
	const trusted = getCACertificates('default')
	setDefaultCACertificates([...trusted, cert])
	try {
		const misnamed = egress.text(`https://other.example:${port}/`, request)
		await expect(misnamed).rejects.toMatchObject({ code: 'egress_unreachable', message: /ALTNAME/ })
		expect(seen).toEqual([])
		expect((await egress.text(`https://localhost:${port}/`, request)).text).toBe('sealed')
	} finally {
		setDefaultCACertificates(trusted)
		await egress.close()
	}
})
