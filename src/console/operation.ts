import * as E from 'fp-ts/lib/Either.js'
import type { ConsoleSessions } from '../bridge/mongo/sign-in-sessions.ts'
import { commandLineUser } from '../bridge/operations/audit.ts'
import { operation, type Resources, stop } from '../bridge/operations/operation.ts'
import { makeLink } from './access/link.ts'

export const consoleLink = operation({
  name: 'console link',
  summary: 'print a link that signs you in with every role: once, within ten minutes, on this machine',
  options: {},
  needs: { consoleSessions: true, running: true },
  select: async ({
    running: { adminUrl, consolePath },
  }: Pick<Resources, 'running'> & { readonly consoleSessions: Pick<ConsoleSessions, 'addLink'> }) =>
    adminUrl === undefined
      ? stop('refused', 'No bridge with a console runs with this DATA_DIR: start one with npm start, or set DATA_DIR.')
      : E.right({ adminUrl, consolePath }),
  act: async ({ consoleSessions: store }, { adminUrl, consolePath }) => {
    const link = await makeLink({ store, clock: () => new Date() }, adminUrl, consolePath, commandLineUser())
    return link === undefined
      ? stop(
          'refused',
          'A sign-in link works on loopback alone, and ADMIN_HOST is another address: sign in with OpenID Connect.',
        )
      : E.right({ code: 0, result: { link } })
  },
})
