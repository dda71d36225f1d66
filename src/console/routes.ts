import type { ConsoleRole } from '../bridge/domain/accounts.ts'
import { PersonAnswer } from './answers.ts'
import { head } from './head.ts'
import type { Route, Routes } from './page.ts'
import { pages } from './pages/index.ts'
import { ErasureAnswer } from './pages/privacy/erasures.ts'

const others = {
  'POST /api/accounts/:account/person': { answer: PersonAnswer, roles: ['privacy'] },
  'POST /api/accounts/:account/person/export': { answer: 'a document', roles: ['privacy'] },
  'POST /api/accounts/:account/person/erase': { answer: ErasureAnswer, roles: ['privacy'] },
} as const satisfies Routes

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never
type AllRoutes = typeof others & typeof head.routes & Together<(typeof pages)[number]['routes']>

/**
 * Every route. The only others are sign-in, sign-out and files. Routes other than GET need the session's CSRF token. A
 * session needs one of the route's roles for the account in the path; without an account in the path, for any account.
 */
export const routes: AllRoutes = Object.assign({}, head.routes, ...pages.map((page) => page.routes), others)

export type ConsoleRoute = keyof AllRoutes

export const routeNames = Object.keys(routes) as ReadonlyArray<ConsoleRoute>

const rolesByRoute: ReadonlyMap<string, ReadonlyArray<ConsoleRole>> = new Map(
  [{ roles: [], routes: { ...head.routes, ...others } }, ...pages].flatMap((part) =>
    Object.entries<Route>(part.routes).map(([name, { roles = part.roles }]) => [name, roles] as const),
  ),
)

export const rolesOf = (name: ConsoleRoute): ReadonlyArray<ConsoleRole> => rolesByRoute.get(name) ?? []
