import { type Client, type Credential, type Deployment, seal } from '../../client/index.ts'

/** The host never has the real one: the proxy on loopback puts it in. */
const NO_KEY = { api_key: 'berth-dev-has-no-key' }

interface Secrets {
	/** The owner's, where there is one. */
	secretOf(need: Credential): Promise<Record<string, unknown> | undefined>
	/** The proxy listens at another port than when the provider's was sealed. */
	moved: boolean
}

/** The deployment of this name at the private host, with this bundle as its newest version, running. */
export async function deployDev(
	client: Client,
	{ bytes, fileName }: { bytes: Uint8Array; fileName: string },
	name: string,
	secrets: Secrets,
): Promise<Deployment> {
	const bundle = { bytes, fileName }
	const known = (await client.deployments.list({ name })).data.find((one) => one.name === name)
	const deployment = known
		? await client.deployments.addVersion(known.id, bundle)
		: await client.deployments.create({ ...bundle, name })
	await putSecrets(client, deployment, secrets)
	return deployment.state === 'running' ? deployment : client.deployments.start(deployment.id)
}

/** Seals what there is for the credentials that are missing. */
export async function putSecrets(
	client: Client,
	{ id, url, sealing_key, credentials }: Deployment,
	{ secretOf, moved }: Secrets,
): Promise<void> {
	for (const need of credentials) {
		if (need.state === 'ready' && !(moved && need.kind === 'provider')) continue
		const secret = need.kind === 'provider' ? NO_KEY : await secretOf(need)
		if (!secret) continue
		const jwe = await seal(sealing_key, { deployment: id, name: need.name, aud: need.aud }, secret)
		await client.deployments.putCredential(url, need.name, jwe)
	}
}
