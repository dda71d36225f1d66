import { setTimeout as wait } from 'node:timers/promises'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { Chat } from '../chat.ts'
import { chatAccepted } from '../payloads.ts'
import type { Attempt } from '../post.ts'
import type { Assertions } from './assertions.ts'
import { linkOfDemo, noteOfDemo } from './echo-bot.ts'
import type { Data } from './log.ts'
import type { Story } from './story.ts'

export const inChat =
  ({ account }: Pick<Story, 'account'>, chatId: string) =>
  (data: Data) =>
    data.accountId === account.id && data.chatId === chatId

const fieldOf = (message: unknown, name: 'type' | 'text') =>
  typeof message === 'object' && message !== null && name in message ? (message as Data)[name] : undefined

/** Step: a client writes, for the `nth` time in this chat, and the bridge receives the message. */
export const clientWrites = (story: Story, chatId: string, text: string, nth = 1) =>
  story.stage.step(`CLIENT_MESSAGE · the client writes “${text}”`, async (assertions) => {
    const { account, service } = story
    const isIt = inChat(story, chatId)
    assertions.answered('CLIENT_MESSAGE', await service.clientWrites(chatId, text, { accountId: account.id }))
    await assertions.event(
      'bot-conversations',
      'ClientMessageReceived',
      (data) => isIt(data) && fieldOf(data.message, 'text') === text,
      ['message'],
    )
    await assertions.view(
      'conversations',
      `${account.id}/${chatId}`,
      ({ clientMessages }) => clientMessages === nth,
      ({ state, clientMessages }) => `state ${state}, ${clientMessages} from the client`,
    )
  })

type Reply = {
  readonly title: string
  readonly type: BotReply['type']
  readonly messageType?: 'TEXT' | 'BUTTONS'
  /** What the service must receive, in words. */
  readonly what: string
  readonly read: () => string | undefined
}

/** Step: the bot’s command goes from its topic to the service, and its outcome goes back into the log. */
export const botReplies = (story: Story, chatId: string, { title, type, messageType, what, read }: Reply) =>
  story.stage.step(title, async (assertions) => {
    const { account, service } = story
    const isIt = inChat(story, chatId)
    const isWanted = ({ type: is, message }: Data) => is === type && fieldOf(message, 'type') === messageType
    const command = await assertions.command((data) => isIt(data) && isWanted(data))
    if (command === undefined) return
    await assertions.service(service.waitFor, what, read)
    await assertions.event('bot-conversations', 'BotReplyDelivered', ({ commandId }) => commandId === command.id, [
      'attempts',
    ])
    await assertions.view(
      'deliveries',
      `${account.id}/${chatId}/${command.id}${type === 'InviteAgent' ? ':invite' : ''}`,
      ({ state }) => state === 'delivered',
      ({ state, attempts }) => `${state}, ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}`,
    )
  })

/** Step: the service reports what became of the chat. `also` runs when the event is in the log. */
export const serviceTells = (
  story: Story,
  chatId: string,
  event: 'AGENT_JOINED' | 'AGENT_UNAVAILABLE',
  title: string,
  also: (assertions: Assertions) => void = () => {},
) =>
  story.stage.step(`${event} · ${title}`, async (assertions) => {
    const { account, service } = story
    const joined = event === 'AGENT_JOINED'
    const tell = joined ? service.agentJoins : service.agentUnavailable
    assertions.answered(event, await tell(chatId, { accountId: account.id }))
    const heard = await assertions.event(
      'bot-conversations',
      joined ? 'AgentJoined' : 'AgentUnavailable',
      inChat(story, chatId),
      ['chatId', 'clientId'],
    )
    if (heard !== undefined) also(assertions)
    await assertions.view(
      'conversations',
      `${account.id}/${chatId}`,
      ({ joinedAt, unavailableAt }) => (joined ? joinedAt : unavailableAt) !== undefined,
      ({ state, outcome }) => `state ${state}, outcome ${outcome}`,
    )
  })

type Outcome = 'contained' | 'abandoned'

/** Step: the service closes the chat, and its session ends. */
export const chatCloses = (story: Story, chatId: string, title: string, outcome: Outcome) =>
  story.stage.step(`CHAT_CLOSED · ${title}`, async (assertions) => {
    const { account, service } = story
    assertions.answered('CHAT_CLOSED', await service.closeChat(chatId, { accountId: account.id }))
    await assertions.event('bot-conversations', 'ChatClosed', inChat(story, chatId), ['chatId'])
    await assertions.view(
      'sessions',
      `${account.id}/${chatId}/bot/1`,
      (session) => session.ending === 'closed' && session.outcome === outcome,
      (session) => `outcome ${session.outcome}`,
    )
  })

const invited = (chat: Chat | undefined) =>
  chat?.state === 'invited' && chat.invitations.at(-1)?.by === 'bot'
    ? 'INVITE_AGENT, the chat waits for an agent'
    : undefined

/** Two steps: the client asks for an agent, and the bot hands the chat over. */
export const handsOver = async (story: Story, chatId: string) => {
  await clientWrites(story, chatId, 'agent')
  await botReplies(story, chatId, {
    title: 'INVITE_AGENT · the bot hands the chat over',
    type: 'InviteAgent',
    what: 'the invitation',
    read: () => invited(story.service.chat(chatId, story.account.id)),
  })
}

const againMs = 300
const maxRepeats = 15

/** Step: an agent accepts the chat, and the answer to the webhook has these parts of a note, and not others. */
export const agentSees = (
  { stage, service, account }: Story,
  chatId: string,
  title: string,
  parts: ReadonlyArray<string>,
  others: ReadonlyArray<string> = [],
) =>
  stage.step(title, async (assertions) => {
    const accept = () => service.webhook(account.id, chatAccepted({ chat_id: Number(chatId) }))
    const hasNote = (answer: Attempt) => {
      if (answer.kind !== 'answered') return false
      const body = JSON.stringify(answer.body)
      return parts.every((part) => body.includes(part)) && !others.some((part) => body.includes(part))
    }
    let answer = await accept()
    // The bridge reads a note within about a second.
    for (let again = 0; again < maxRepeats && !hasNote(answer); again += 1) {
      await wait(againMs)
      answer = await accept()
    }
    assertions.answered('webhook', answer)
    await assertions.event('chats', 'ChatAccepted', inChat({ account }, chatId), ['chatId'])
    if (!hasNote(answer)) throw new Error('the answer lacks a part of the note, or has one that does not fit')
  })

/** Step: the same for the note of the bot that hands over. */
export const agentSeesNote = (story: Story, chatId: string) =>
  agentSees(story, chatId, 'chat_accepted · the agent sees the note of the bot beside the chat, and a link', [
    `"content":"${noteOfDemo}"`,
    `"link":"${linkOfDemo.link}"`,
  ])
