import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export type Person = Readonly<Record<string, unknown>> & { readonly sub: string }

/** How an ID token is changed on its way to the bridge: its claims, its signer, or the whole token. */
export type Change = {
  readonly claims?: (claims: JWTPayload) => JWTPayload
  readonly byStranger?: true
  readonly token?: (token: string) => string
}

const keyId = 'first'

/** The real oidc-provider. It signs everybody in as `person` without a form, and a test can change its ID tokens. */
export const oidcServer = async (redirectUri: string) => {
  const state: { person: Person; change: Change | undefined; answers: boolean } = {
    person: { sub: 'nobody' },
    change: undefined,
    answers: true,
  }
  const [own, stranger] = await Promise.all([0, 1].map(() => generateKeyPair('RS256', { extractable: true })))
  if (own === undefined || stranger === undefined) throw new Error('no keys')
  const changed = async (token: string, { claims, byStranger, token: whole }: Change): Promise<string> => {
    if (whole !== undefined) return whole(token)
    const sent: JWTPayload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return new SignJWT(claims?.(sent) ?? sent)
      .setProtectedHeader({ alg: 'RS256', kid: keyId, typ: 'JWT' })
      .sign(byStranger ? stranger.privateKey : own.privateKey)
  }
  /** Changes the token endpoint's answer before it is sent. */
  const intercept = (res: ServerResponse, change: Change) => {
    const end = res.end.bind(res) as (body: string) => void
    res.end = ((body: string | Buffer) => {
      const answer: { id_token?: string } = JSON.parse(body.toString())
      const token = answer.id_token
      const ready =
        token === undefined
          ? Promise.resolve(answer)
          : changed(token, change).then((id_token) => ({ ...answer, id_token }))
      void ready.then((whole) => {
        const text = JSON.stringify(whole)
        res.setHeader('Content-Length', Buffer.byteLength(text))
        end(text)
      })
      return res
    }) as ServerResponse['end']
  }
  const server = createServer((req, res) => {
    if (!state.answers) return void res.destroy()
    if (req.url === '/token' && state.change !== undefined) intercept(res, state.change)
    const uid = /^\/interaction\/([\w-]+)$/.exec(req.url ?? '')?.[1]
    if (uid === undefined) return handle(req, res)
    void provider.interactionFinished(req, res, { login: { accountId: state.person.sub } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // The package has no types.
  const { default: Provider } = await import('oidc-provider' as string)
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'livechat', client_secret: 'a-secret-of-the-client', redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), kid: keyId, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['key-of-cookies'] },
    features: { devInteractions: { enabled: false } },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...state.person, sub }) }),
    loadExistingGrant: async (ctx: { readonly oidc: Readonly<Record<string, { readonly [key: string]: string }>> }) => {
      const { client, session, params } = ctx.oidc
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope(params?.scope)
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  /** Follows redirects as a browser does, until the provider sends it back to the console. Returns that URL's query. */
  const visit = async (location: string): Promise<string> => {
    const cookies = new Map<string, string>()
    let next = location
    while (!next.startsWith(redirectUri)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answered = await fetch(next, { redirect: 'manual', headers: { cookie } })
      for (const each of answered.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        cookies.set(name, value)
      }
      const to = answered.headers.get('location')
      if (to === null) throw new Error(`the provider answered ${answered.status}: ${await answered.text()}`)
      next = new URL(to, next).href
    }
    return new URL(next).search
  }
  return {
    issuer,
    state,
    visit,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
