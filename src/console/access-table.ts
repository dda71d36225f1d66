import { type ConsoleRole, consoleRoles } from '../domain/accounts.ts'

export { type ConsoleRole, consoleRoles }

const everyone: ReadonlyArray<ConsoleRole> = consoleRoles
const readers: ReadonlyArray<ConsoleRole> = ['lead', 'privacy']
const operators: ReadonlyArray<ConsoleRole> = ['operator']
const privacy: ReadonlyArray<ConsoleRole> = ['privacy']

/**
 * The roles that may use each route. A session needs one of them for the account in the path. Without an account in the
 * path, it needs one of them for any account. Routes other than GET need the session's CSRF token. The only other
 * routes are sign-in, sign-out and files.
 */
export const accessTable = {
  'GET /api/session': everyone,
  'GET /api/system': everyone,
  'GET /api/accounts/:account/now': everyone,
  'GET /api/accounts/:account/conversations': everyone,
  'GET /api/accounts/:account/conversations/:chat': everyone,
  'GET /api/accounts/:account/conversations/:chat/live': everyone,
  'POST /api/accounts/:account/conversations/:chat/unmask': readers,
  'POST /api/accounts/:account/record': readers,
  'GET /api/accounts/:account/statistics': everyone,
  'GET /api/accounts/:account/statistics.csv': everyone,
  'GET /api/accounts/:account/drift': everyone,
  'POST /api/accounts/:account/drift/unmask': operators,
  'GET /api/accounts/:account/dead-letters': operators,
  'POST /api/accounts/:account/dead-letters/show': operators,
  'POST /api/accounts/:account/dead-letters/redrive': operators,
  'GET /api/accounts/:account/quarantine': operators,
  'POST /api/accounts/:account/quarantine/show': operators,
  'POST /api/accounts/:account/quarantine/redrive': operators,
  'POST /api/accounts/:account/rebuild': operators,
  'POST /api/accounts/:account/person': privacy,
  'POST /api/accounts/:account/person/export': privacy,
  'POST /api/accounts/:account/person/erase': privacy,
  'GET /api/accounts/:account/erasures': privacy,
  'GET /api/accounts/:account/audit': privacy,
} as const satisfies Readonly<Record<string, ReadonlyArray<ConsoleRole>>>

export type ConsoleRoute = keyof typeof accessTable
