import { audit } from './audit/page.ts'
import { conversations } from './conversations/page.ts'
import { deadLetters } from './dead-letters/page.ts'
import { drift } from './drift/page.ts'
import { now } from './now/page.ts'
import { privacy } from './privacy/page.ts'
import { quarantine } from './quarantine/page.ts'
import { statistics } from './statistics/page.ts'
import { system } from './system/page.ts'

/** The only list of the pages, in the order of the menu. */
export const pages = [now, conversations, statistics, deadLetters, quarantine, drift, system, privacy, audit] as const
