import type { ComponentType } from 'preact'
import type { PageName } from '../browser/menu.ts'
import type { PageProps } from '../browser/route.ts'
import { AuditPage } from './audit/view.tsx'
import { ConversationsPage } from './conversations/view.tsx'
import { DeadLettersPage } from './dead-letters/view.tsx'
import { DriftPage } from './drift/view.tsx'
import { NowPage } from './now/view.tsx'
import { PrivacyPage } from './privacy/view.tsx'
import { StatisticsPage } from './statistics/view.tsx'
import { SystemPage } from './system/view.tsx'

/** What the browser paints of each page of the list in index.ts. Only the browser's script has it. */
export const views: Readonly<Record<PageName, ComponentType<PageProps>>> = {
  now: NowPage,
  conversations: ConversationsPage,
  statistics: StatisticsPage,
  'dead-letters': DeadLettersPage,
  // Requests in quarantine are letters: the page tells by its name which it shows.
  quarantine: DeadLettersPage,
  drift: DriftPage,
  system: SystemPage,
  privacy: PrivacyPage,
  audit: AuditPage,
}
