import { drift } from './drift/page.ts'

/** The only list of the pages. */
export const pages = [drift] as const
