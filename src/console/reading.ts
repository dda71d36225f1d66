import { type ConversationDeps, conversationHandlers } from './api/conversation.ts'
import { type ConversationsDeps, conversationsHandlers } from './api/conversations.ts'
import { type DriftDeps, driftHandlers } from './api/drift.ts'
import { liveHandlers } from './api/live.ts'
import { type NowDeps, nowHandlers } from './api/now.ts'
import { type RecordDeps, recordHandlers } from './api/record.ts'
import { type StatisticsDeps, statisticsHandlers } from './api/statistics.ts'
import { type SystemDeps, systemHandlers } from './api/system.ts'
import { type StoryWatchDeps, storyWatch } from './story-watch.ts'

export type ReadingDeps = SystemDeps &
  NowDeps &
  ConversationsDeps &
  ConversationDeps &
  StoryWatchDeps &
  RecordDeps &
  StatisticsDeps &
  DriftDeps

/** The handlers of routes that only read. */
export const readingHandlers = (deps: ReadingDeps) => ({
  ...systemHandlers(deps),
  ...nowHandlers(deps),
  ...conversationsHandlers(deps),
  ...conversationHandlers(deps),
  ...liveHandlers({ watch: storyWatch(deps).watch, sleep: deps.sleep }),
  ...recordHandlers(deps),
  ...statisticsHandlers(deps),
  ...driftHandlers(deps),
})
