import { audit } from './audit/page.ts'
import { drift } from './drift/page.ts'
import { privacy } from './privacy/page.ts'

/** The only list of the pages, in the order of the menu. */
export const pages = [drift, privacy, audit] as const
