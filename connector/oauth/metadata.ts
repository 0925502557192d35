import { deviceGrant } from './device-grant.ts'
import { guardScopes } from './scopes.ts'

/** RFC 9728, for `/mcp`: exactly five members and three scopes (spec guard-oauth.resource-metadata). */
export function guardMetadata(baseUrl: string) {
	return {
		resource: `${baseUrl}/mcp`,
		authorization_servers: [baseUrl],
		scopes_supported: guardScopes,
		bearer_methods_supported: ['header'],
		resource_name: 'Guard',
	}
}

/** Of `/v1`. Its one scope is given without being asked for, and not listed. */
export function accountMetadata(baseUrl: string) {
	return {
		resource: `${baseUrl}/v1`,
		authorization_servers: [baseUrl],
		bearer_methods_supported: ['header'],
		resource_name: 'Berth',
	}
}

/** RFC 8414. What the server can do for OpenID Connect is not offered, so it is not listed either. */
export function authorizationServerMetadata(baseUrl: string, clientDocuments: boolean) {
	const methods = ['none', 'client_secret_post', 'client_secret_basic']
	return {
		issuer: baseUrl,
		authorization_endpoint: `${baseUrl}/authorize`,
		token_endpoint: `${baseUrl}/token`,
		device_authorization_endpoint: `${baseUrl}/device_authorization`,
		registration_endpoint: `${baseUrl}/register`,
		revocation_endpoint: `${baseUrl}/revoke`,
		protected_resources: [`${baseUrl}/mcp`, `${baseUrl}/v1`],
		scopes_supported: guardScopes,
		response_types_supported: ['code'],
		response_modes_supported: ['query'],
		grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant],
		token_endpoint_auth_methods_supported: methods,
		revocation_endpoint_auth_methods_supported: methods,
		code_challenge_methods_supported: ['S256'],
		prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
		authorization_response_iss_parameter_supported: true,
		client_id_metadata_document_supported: clientDocuments,
	}
}
