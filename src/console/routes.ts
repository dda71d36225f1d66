import type { ConsoleRole } from '../bridge/domain/accounts.ts'
import { head } from './head.ts'
import type { HandlersOf, Route } from './page.ts'
import { pages } from './pages/index.ts'

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never
type AllRoutes = typeof head.routes & Together<(typeof pages)[number]['routes']>

/**
 * A route by its method and path. The only others are sign-in, sign-out and files. Routes other than GET need the
 * session's CSRF token. A session needs one of the route's roles for the account in the path; without an account in the
 * path, for any account.
 */
export type ConsoleRoute = keyof AllRoutes

export type ConsoleHandlers = HandlersOf<AllRoutes>

const byName = new Map(
  [{ roles: [], routes: head.routes }, ...pages].flatMap((part) =>
    Object.entries<Route>(part.routes).map(
      ([name, { roles = part.roles, withoutMongo }]) => [name as ConsoleRoute, { roles, withoutMongo }] as const,
    ),
  ),
)

export const routeNames: ReadonlyArray<ConsoleRoute> = [...byName.keys()]

export const rolesOf = (name: ConsoleRoute): ReadonlyArray<ConsoleRole> => byName.get(name)?.roles ?? []

/** True if a session that was read before may use the route while MongoDB does not answer. */
export const isWithoutMongo = (name: ConsoleRoute): boolean => byName.get(name)?.withoutMongo === true
