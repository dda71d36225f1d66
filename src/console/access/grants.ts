import { type ConsoleRole, consoleRoles, type GrantEntry } from '../../bridge/domain/accounts.ts'
import type { Grant } from '../page.ts'

/** The current grants of a session's groups. A sign-in link is for the bridge's operator: every role and account. */
export const grantsOf = (
  groups: ReadonlyArray<string> | 'link',
  entries: ReadonlyArray<GrantEntry>,
): ReadonlyArray<Grant> =>
  groups === 'link'
    ? consoleRoles.map((role) => ({ role, accounts: '*' }))
    : entries
        .filter(({ group }) => groups.includes(group))
        .map(({ role, accounts = ['*'] }) => ({ role, accounts: accounts.includes('*') ? '*' : new Set(accounts) }))

export const rolesFor = (grants: ReadonlyArray<Grant>, accountId: string): ReadonlyArray<ConsoleRole> =>
  consoleRoles.filter((role) =>
    grants.some((grant) => grant.role === role && (grant.accounts === '*' || grant.accounts.has(accountId))),
  )

export const hasRoleForAll = (
  grants: ReadonlyArray<Grant>,
  accounts: ReadonlyArray<{ readonly id: string }>,
  role: ConsoleRole,
): boolean => accounts.every(({ id }) => rolesFor(grants, id).includes(role))

/** The decision whether a session may use a route for these roles. An account that it may not see counts as unknown. */
export type Decision = 'allowed' | 'wrong-role' | 'unknown-account'

export const decideAccess = (
  wanted: ReadonlyArray<ConsoleRole>,
  grants: ReadonlyArray<Grant>,
  accountIds: ReadonlyArray<string>,
  accountId: string | undefined,
): Decision => {
  if (accountId === undefined) return grants.some(({ role }) => wanted.includes(role)) ? 'allowed' : 'wrong-role'
  const roles = accountIds.includes(accountId) ? rolesFor(grants, accountId) : []
  if (roles.length === 0) return 'unknown-account'
  return roles.some((role) => wanted.includes(role)) ? 'allowed' : 'wrong-role'
}
