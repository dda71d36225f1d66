// In the script this is JSON that the server has made (assets.ts), so the list of the pages is written once.
import { menu } from '#menu'
import type { ConsoleRole } from '../../bridge/domain/accounts.ts'

type Entry = (typeof menu)[number]
export type PageName = Entry['name']

/** The pages in the order of the menu. */
export const pages: ReadonlyArray<Entry> = menu

const byName = Object.fromEntries(pages.map((page) => [page.name, page])) as Readonly<Record<PageName, Entry>>

export const pageOf = (name: PageName): Entry => byName[name]

/** The pages that a user with these roles can open. */
export const pagesFor = (roles: ReadonlyArray<ConsoleRole>): ReadonlyArray<Entry> =>
  pages.filter((page) => page.roles.some((role) => roles.includes(role)))
