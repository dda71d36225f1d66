import type { Ctx, Refusal } from '../../bridge/http/answer.ts'
import { connectionOf, isLoopback } from '../../bridge/http/client-address.ts'
import { forbidden } from '../page.ts'
import { refuse } from '../respond.ts'

/** Headers of every response of the console. Other sites can neither run scripts in it, nor embed it, nor read it. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not no-referrer: with it browsers send the Origin of a form as null.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** The loopback origin in a request's Host header. Undefined if the header names another host or port. */
const localOrigin = (ctx: Ctx): string | undefined => {
  const url = URL.parse(`http://${ctx.get('host')}`)
  const isOurs =
    url !== null && isLoopback(url.hostname) && (url.port || '80') === String(connectionOf(ctx.req).localPort)
  return isOurs ? url.origin : undefined
}

/**
 * The origin that a request was sent to: that of CONSOLE_URL, or loopback. Undefined for any other name that resolves
 * to this machine (DNS rebinding).
 */
const originOf = (ctx: Ctx, configured: string | undefined): string | undefined => {
  if (configured === undefined) return localOrigin(ctx)
  const { protocol, host } = new URL(configured)
  return URL.parse(`${protocol}//${ctx.get('host')}`)?.host === host ? configured : localOrigin(ctx)
}

/** True if a request comes from this machine and no proxy has marked it. */
export const isLocal = (ctx: Ctx): boolean =>
  localOrigin(ctx) !== undefined &&
  isLoopback(connectionOf(ctx.req).remoteAddress ?? '') &&
  ctx.get('x-forwarded-for') === '' &&
  ctx.get('forwarded') === ''

/** True if the browser says that a page of another site, or of another origin of this site, sent the request. */
export const isOfOtherSite = (ctx: Ctx): boolean => !['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))

/** Why a request is refused because of its Host or Origin. Undefined if it is accepted. */
const refusalOf = (ctx: Ctx, configured: string | undefined): Refusal | undefined => {
  const origin = originOf(ctx, configured)
  if (origin === undefined)
    return { ...forbidden('Host: expected that of CONSOLE_URL, or loopback with the port of the console'), status: 421 }
  const from = ctx.get('origin')
  if (from !== '' && from !== origin) return forbidden('Origin: expected that of the console')
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return undefined
  const site = ctx.get('sec-fetch-site')
  if (site === 'same-origin' || (site === '' && from !== '')) return undefined
  return forbidden('Sec-Fetch-Site or Origin: expected a request of a page of the console')
}

export const guard = (configured: string | undefined) => async (ctx: Ctx, next: () => Promise<unknown>) => {
  ctx.state.api = 'console'
  ctx.set(headers)
  ctx.set('Cache-Control', 'no-store')
  const refusal = refusalOf(ctx, configured)
  return refusal === undefined ? next() : refuse(ctx, refusal)
}
