import { timelineId } from '../../../bridge/views/timeline.ts'
import type { Story } from './story.ts'

/** Act: what analysts find in the views. */
export const playFigures = async ({ stage, account, log }: Story) => {
  stage.heading(
    'What analysts see',
    'Every event in the timeline, and the day in figures; both can be rebuilt from the log.',
  )
  const finished = log.find(({ type, data }) => type.includes('ChatFinished') && data.accountId === account.id)
  await stage.step('timeline, daily_stats · the closed chat’s event, and today', async (assertions) => {
    if (finished === undefined) return assertions.fact('view', false, 'no ChatFinished was seen')
    const day = String(finished.headers.ce_time).slice(0, 10)
    await assertions.view(
      'timeline',
      timelineId({
        id: finished.id,
        source: String(finished.headers.ce_source),
        data: { accountId: account.id, chatId: String(finished.headers.ce_subject) },
      }),
      () => true,
      ({ type, time }) => `${type}, ${time.toISOString()}`,
    )
    await assertions.view(
      'daily_stats',
      `${account.id}/${day}`,
      ({ chats, offlineMessages, replies }) => chats.finished > 0 && offlineMessages > 0 && replies.delivered > 0,
      ({ chats, calls, conversations, replies }) =>
        `chats ${chats.accepted}, calls ${calls.total}, conversations ${conversations.started}, replies ${replies.delivered}`,
    )
  })
}
