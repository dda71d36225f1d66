import * as E from 'fp-ts/lib/Either.js'
import type { Query } from '../../bridge/mongo/connect.ts'
import { type Chat, versionsIn } from '../../bridge/mongo/console-story.ts'
import type { Sleep } from '../../bridge/shared/time.ts'
import type { Handlers } from '../handler.ts'
import { type StoryWatch, storyWatch } from '../story-watch.ts'

export type LiveDeps = { readonly mongoQuery: Query; readonly sleep: Sleep }

const heartbeatMs = 15_000

/**
 * Server-sent events: the current version of the story and each later one. A comment every 15 s detects clients that
 * have disconnected. The events contain only the version. The page then requests the story, with all checks.
 */
async function* events(
  watch: StoryWatch['watch'],
  sleep: Sleep,
  chat: Chat,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let version: string | undefined
  let woken = new AbortController()
  const leave = watch(chat, (changed) => {
    version = changed
    woken.abort()
  })
  try {
    yield 'retry: 2000\n\n'
    while (!signal.aborted) {
      if (version === undefined) await sleep(heartbeatMs, AbortSignal.any([signal, woken.signal]))
      if (signal.aborted) return
      woken = new AbortController()
      const data = version
      version = undefined
      yield data === undefined ? ': still there\n\n' : `data: ${JSON.stringify({ version: data })}\n\n`
    }
  } finally {
    leave()
  }
}

/** The API (../api.ts) limits the number of streams. */
export const liveHandlers = ({
  mongoQuery,
  sleep,
}: LiveDeps): Handlers<'GET /api/accounts/:account/conversations/:chat/live'> => {
  const { watch } = storyWatch({ readVersions: mongoQuery(versionsIn), sleep })
  return {
    'GET /api/accounts/:account/conversations/:chat/live': async ({ accountId, chatId, signal }) =>
      E.right({ status: 200, stream: events(watch, sleep, { accountId, chatId }, signal), type: 'text/event-stream' }),
  }
}
