import { type Credential, type Deployment, seal } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'

export type Holder = Pick<Deployment, 'id' | 'name' | 'url' | 'sealing_key' | 'credentials' | 'agent'>

/** Encrypted here, for this deployment and this address alone; what leaves the browser is the ciphertext. */
export async function sealAndUpload(
	{ id, url, sealing_key }: Pick<Holder, 'id' | 'url' | 'sealing_key'>,
	{ name, aud }: Pick<Credential, 'name' | 'aud'>,
	secret: Record<string, unknown>,
): Promise<void> {
	const jwe = await seal(sealing_key, { deployment: id, name, aud }, secret)
	await client.deployments.putCredential(url, name, jwe)
}
