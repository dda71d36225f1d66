import type { Mechanism } from 'kafkajs'
import { isObject } from '../shared/json.ts'
import { codesOf, networkReasonOf, tlsReasonOf, wordsOfAddress } from '../shared/tls-trouble.ts'

/** OAuth's client-credentials grant (RFC 6749, section 4.4), whose token a broker accepts (RFC 7628). */
export type OAuthBearer = {
  readonly mechanism: 'oauthbearer'
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
}

/** There is no token. The message may be shown: it has no secret. */
class NoToken extends Error {
  override readonly name = 'KafkaJSSASLAuthenticationError'
}

/** `lastsMs` from its issue on. */
type Token = { readonly value: string; readonly lastsMs: number }
type FetchToken = () => Promise<Token>

const answerWithinMs = 5_000
/** RFC 6749 only recommends that the server says how long a token is valid. */
const usualLastsMs = 5 * 60_000
/** kafkajs authenticates again so long before the end of a session. A token must last beyond that. */
const beforeEndMs = 15_000

const words = wordsOfAddress('the token server', 'KAFKA_SASL_OAUTH_TOKEN_URL')

const away = (error: unknown, url: URL): string => {
  const place = url.port === '' ? url.hostname : url.host
  const [code] = codesOf(error)
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  const reason = tlsReasonOf(error, words) ?? networkReasonOf(error, place)
  return reason ?? (isLate ? `${place} does not answer` : `${place} cannot be reached${code ? ` (${code})` : ''}`)
}

/** The codes of RFC 6749, section 5.2. Descriptions may quote the request. */
const refusals: Readonly<Record<string, string>> = {
  invalid_client: 'see KAFKA_SASL_OAUTH_CLIENT_ID and KAFKA_SASL_OAUTH_CLIENT_SECRET',
  invalid_scope: 'see KAFKA_SASL_OAUTH_SCOPE',
  unauthorized_client: 'the client may not use the grant client_credentials',
  unsupported_grant_type: 'it does not know the grant client_credentials',
}

const fetchTokenFor =
  ({ tokenUrl, clientId, clientSecret, scope }: OAuthBearer): FetchToken =>
  async () => {
    const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
      signal: AbortSignal.timeout(answerWithinMs),
    }).catch((error: unknown) => {
      throw new NoToken(`there is no token: ${away(error, new URL(tokenUrl))} (KAFKA_SASL_OAUTH_TOKEN_URL)`)
    })
    const body: unknown = await answer.json().catch(() => undefined)
    const { access_token: value, expires_in: seconds, error } = isObject(body) ? (body as Record<string, unknown>) : {}
    if (answer.ok && typeof value === 'string')
      return { value, lastsMs: Number(seconds) > 0 ? Number(seconds) * 1_000 : usualLastsMs }
    const code = typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : String(answer.status)
    const advice = refusals[code] ?? 'see KAFKA_SASL_OAUTH_TOKEN_URL'
    throw new NoToken(`there is no token: the token server answered ${code} (${advice})`)
  }

/** One token for all connections. It is fetched again before it ends: after four fifths of its time. */
export const renewed = (fetchToken: FetchToken, clock: () => number): (() => Promise<string>) => {
  let current: { readonly token: Promise<Token>; readonly at: number; until: number } | undefined
  return async () => {
    if (current === undefined || clock() >= current.until) {
      const mine = { token: fetchToken(), at: clock(), until: Number.POSITIVE_INFINITY }
      current = mine
      mine.token.then(
        ({ lastsMs }) => {
          mine.until = mine.at + Math.min(lastsMs * 0.8, lastsMs - beforeEndMs)
        },
        () => {
          if (current === mine) current = undefined
        },
      )
    }
    return (await current.token).value
  }
}

const separator = '\u0001'

/** RFC 7628, section 3.1, with the length that kafkajs expects of each message. */
const firstMessage = (token: string): Buffer => {
  const text = Buffer.from(`n,,${separator}auth=Bearer ${token}${separator}${separator}`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(text.length)
  return Buffer.concat([length, text])
}

/**
 * kafkajs's own mechanism takes every answer as a success. But a broker refuses a token with an error as its answer
 * (RFC 7628, section 3.2.2), and then closes the connection without a word.
 */
export const oauthBearer = (settings: OAuthBearer): Mechanism => {
  const tokenOf = renewed(fetchTokenFor(settings), () => performance.now())
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await tokenOf()
        const refused = await saslAuthenticate({
          request: { encode: () => firstMessage(token) },
          response: { decode: (raw) => raw.subarray(4), parse: (answer) => answer.toString() },
        })
        if (!refused) return
        const status = /"status"\s*:\s*"(\w{1,40})"/.exec(refused)?.[1] ?? 'refused'
        throw new NoToken(`the broker does not accept the token (${status}): see KAFKA_SASL_OAUTH_SCOPE`)
      },
    }),
  }
}
