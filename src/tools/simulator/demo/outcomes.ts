import { inTurn } from '../behaviour.ts'
import * as payloads from '../payloads.ts'
import { chatCloses, clientWrites, handsOver, inChat } from './steps.ts'
import type { Story } from './story.ts'

/** Step: a reply that the service refuses permanently. */
const replyFails = async (story: Story, chatId: string) => {
  const { account, service, stage } = story
  // Only the first request fails: then the bridge invites an agent, and the service accepts that.
  service.misbehave(inTurn({ kind: 'error', status: 400 }), chatId)
  await clientWrites(story, chatId, 'Where is my order?')
  await stage.step('BOT_MESSAGE · the service refuses the answer for good', async (assertions) => {
    const failed = await assertions.event('bot-conversations', 'BotReplyFailed', inChat(story, chatId), ['reason'])
    if (failed === undefined) return
    await assertions.view(
      'deliveries',
      `${account.id}/${chatId}/${failed.data.commandId}`,
      ({ state }) => state === 'failed',
      ({ state, reason }) => `${state}, ${reason}`,
    )
  })
}

/** Step: a closed chat is accepted again, and closed with another rating. Each session keeps its own. */
const chatReopens = async ({ stage, service, account }: Story, chat: number) => {
  const session = (number: number) => `${account.id}/${chat}/agent/${number}`
  await stage.step('chat_accepted · the closed chat is opened again', async (assertions) => {
    const payload = payloads.chatAccepted({ chat_id: chat })
    assertions.answered('webhook', await service.webhook(account.id, payload))
    await assertions.view(
      'sessions',
      session(2),
      ({ acceptedAt }) => acceptedAt !== undefined,
      ({ number, outcome }) => `session ${number}, ${outcome}`,
    )
  })
  await stage.step('chat_finished · and is rated good this time', async (assertions) => {
    assertions.answered('webhook', await service.webhook(account.id, payloads.chatRated(chat, 'good')))
    for (const [number, wanted] of [
      [1, 'bad'],
      [2, 'good'],
    ] as const)
      await assertions.view(
        'sessions',
        session(number),
        ({ rating }) => rating === wanted,
        ({ rating }) => `session ${number}, rated ${rating}`,
      )
  })
}

/** Act: sessions end in different ways, for the figures: opened again, abandoned, refused. */
export const playOutcomes = async (story: Story, closedChat: number) => {
  story.stage.heading(
    'How sessions end',
    'A chat that is opened again, a client who gives up waiting, a reply that cannot be delivered.',
  )
  await chatReopens(story, closedChat)
  const abandoned = String(story.newChatId())
  await handsOver(story, abandoned)
  await chatCloses(story, abandoned, 'nobody has come, the client gives up', 'abandoned')
  await replyFails(story, String(story.newChatId()))
}
