import { accountId } from '../account.ts'
import { groupCommit } from '../peers/group-commit.ts'
import { serve } from '../worker.ts'
import { atRate } from './pace.ts'
import { type Answered, startListening } from './service.ts'

type Commands = {
  readonly kind: 'command'
  readonly brokers: ReadonlyArray<string>
  readonly topic: string
  readonly rate: number
  readonly seconds: number
  readonly chats: number
  /** One chat more, whose requests hang: it gets as many commands as any other chat. */
  readonly withStuckChat: boolean
}
export type CommandsAsk = Commands | { readonly kind: 'listen' }
/** `answered` counts only the chats that are not stuck. */
export type CommandsGiven = { readonly url: string; readonly answered?: Answered }

const stuckChat = 'stuck'
const service = await startListening()
service.stick(stuckChat)
const lanes = new Map<string, ReturnType<typeof groupCommit>>()
let run = 0

const commandOf = (chatId: string, text: string) => ({
  key: `${accountId}/${chatId}`,
  value: JSON.stringify({
    type: 'BotMessage',
    id: `command-${text}`,
    accountId,
    chatId,
    clientId: chatId,
    message: { type: 'TEXT', text },
  }),
  headers: { 'content-type': 'application/json' },
})

serve<CommandsAsk>(async (ask): Promise<CommandsGiven> => {
  const { url } = service
  if (ask.kind === 'listen') return { url }
  const { brokers, topic, rate, seconds, chats, withStuckChat } = ask
  const lane = lanes.get(topic) ?? groupCommit(brokers, topic)
  lanes.set(topic, lane)
  const append = await lane
  const due = new Map<string, number>()
  const appended: Array<Promise<void>> = []
  const id = `${process.pid}-${run++}`
  const extra = withStuckChat ? Math.round((rate * seconds) / chats) : 0
  const total = Math.round(rate * seconds) + extra
  const every = extra === 0 ? Number.POSITIVE_INFINITY : Math.floor(total / extra)
  await atRate(total / seconds, total, (number, at) => {
    const isStuck = number % every === every - 1
    const text = `${id}-${number}`
    if (!isStuck) due.set(text, at)
    appended.push(append(commandOf(isStuck ? stuckChat : `chat-${number % chats}`, text)))
  })
  await Promise.all(appended)
  return { url, answered: await service.answered(due) }
})
