import { AccessToken, AccessTokenRefusal, AccessTokenRequest } from '../../../contracts/http.ts'
import type { JsonObject } from '../schema.ts'
import { examples, header, jsonBody, type Ref } from './parts.ts'
import { challenge, ofOauth, refusals } from './refusals.ts'

const request = { grant_type: 'client_credentials', client_id: 'acme', client_secret: 'at-least-16-characters' }
const granted = { access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', token_type: 'Bearer', expires_in: 3600 }

const constant = (value: string) => header('Nobody may keep the answer.', { type: 'string', const: value })

/** The client-credentials grant for Interface B. */
export const oauthPath = (ref: Ref): JsonObject => ({
  post: {
    operationId: 'issueAccessToken',
    tags: ['Interface B'],
    summary: 'An access token, for client credentials',
    description:
      'OAuth 2.0, RFC 6749, section 4.4: `client_secret` is the secret key of the account. Each parameter once, as text; one without a value counts as absent. Credentials are in the body or in the header, not in both.',
    security: [{ clientCredentials: [] }, {}],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: ref(AccessTokenRequest), examples: examples({ request }) },
        ...jsonBody(ref(AccessTokenRequest), { request }),
      },
    },
    responses: {
      200: {
        description: 'An access token.',
        headers: { 'Cache-Control': constant('no-store'), Pragma: constant('no-cache') },
        content: jsonBody(ref(AccessToken), { granted }),
      },
      400: {
        description: 'Another grant type, or a parameter that is missing, repeated or not text, or another media type.',
        content: jsonBody(ref(AccessTokenRefusal), {
          invalid_request: ofOauth.body('invalid_request', 'grant_type: expected client_credentials'),
          unsupported_grant_type: ofOauth.body('unsupported_grant_type', 'grant_type: expected client_credentials'),
        }),
      },
      401: {
        description: 'The credentials are missing, or of no account.',
        headers: challenge('`Basic`, where the credentials were in the header.'),
        content: jsonBody(ref(AccessTokenRefusal), {
          invalid_client: ofOauth.body('invalid_client', 'client_id, client_secret: expected those of an account'),
        }),
      },
      ...refusals([405, 408, 413, 431, 500], ofOauth, ref),
    },
  },
})
