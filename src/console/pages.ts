import type { ConsoleRole } from '../bridge/domain/accounts.ts'

type Page = {
  /** The part of the address after the account. */
  readonly name: string
  readonly title: string
  /** The second key after `g`. */
  readonly key: string
  /** The roles that may open it. A session needs one of them for the account. */
  readonly roles: ReadonlyArray<ConsoleRole>
}

const everyone = ['viewer', 'lead', 'operator', 'privacy'] as const satisfies ReadonlyArray<ConsoleRole>
const privacy = ['privacy'] as const satisfies ReadonlyArray<ConsoleRole>

/**
 * The pages of the console, in the order of the menu. Menu, keys, addresses and the roles of routes (answers.ts) follow
 * from this list; browser/app.tsx has the component of each page.
 */
export const pages = [
  { name: 'now', title: 'Now', key: 'n', roles: everyone },
  { name: 'conversations', title: 'Conversations', key: 'c', roles: everyone },
  { name: 'statistics', title: 'Statistics', key: 's', roles: everyone },
  { name: 'dead-letters', title: 'Dead letters', key: 'd', roles: everyone },
  { name: 'quarantine', title: 'Quarantine', key: 'q', roles: everyone },
  { name: 'drift', title: 'Drift', key: 'r', roles: everyone },
  { name: 'system', title: 'System', key: 'y', roles: everyone },
  { name: 'privacy', title: 'Privacy', key: 'p', roles: privacy },
  { name: 'audit', title: 'Audit log', key: 'a', roles: privacy },
] as const satisfies ReadonlyArray<Page>

export type PageName = (typeof pages)[number]['name']

export const pageOf = (name: PageName): Page & { readonly name: PageName } =>
  pages.find((page) => page.name === name) ?? pages[0]

/** The pages that a user with these roles can open. */
export const pagesFor = (roles: ReadonlyArray<ConsoleRole>): ReadonlyArray<Page & { readonly name: PageName }> =>
  pages.filter((page) => page.roles.some((role) => roles.includes(role)))
