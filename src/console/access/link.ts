import { isLoopback } from '../../bridge/http/client-address.ts'
import type { ConsoleSessions } from '../../bridge/mongo/sign-in-sessions.ts'
import { hashOf, random } from './keys.ts'

export type LinkDeps = {
  readonly store: Pick<ConsoleSessions, 'addLink'>
  readonly clock: () => Date
}

const lastsMs = 10 * 60 * 1000

/** The loopback URL of the operators' port, because a link works only there. Undefined if it is not on loopback. */
const localUrl = (adminUrl: string): string | undefined => {
  const url = URL.parse(adminUrl)
  if (url === null) return undefined
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1'
  return isLoopback(url.hostname) ? url.origin : undefined
}

/** Makes a link that signs `who` in once, within ten minutes, on this machine. Only the hash of its token is stored. */
export const makeLink = async (
  { store, clock }: LinkDeps,
  adminUrl: string,
  basePath: string,
  who: string,
): Promise<string | undefined> => {
  const url = localUrl(adminUrl)
  if (url === undefined) return undefined
  const token = random()
  await store.addLink(hashOf(token), who, new Date(clock().getTime() + lastsMs))
  return `${url}${basePath}/sign-in?token=${token}`
}
