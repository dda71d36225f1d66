import { randomInt } from 'node:crypto'
import { createInterface } from 'node:readline'
import * as E from 'fp-ts/lib/Either.js'
import { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { Enrichment, enrichmentKey } from '../../../../contracts/commands/enrichment.ts'
import { ceType } from '../../../../contracts/topics.ts'
import { bridgeOf } from '../account.ts'
import type { Service } from '../service.ts'
import type { EventLog } from './log.ts'
import type { DemoAccount } from './story.ts'

type Deps = {
  readonly bridgeUrl: string
  readonly account: DemoAccount
  readonly service: Service
  /** What has been written to the topics that `topicsOfTalk` names. */
  readonly log: Pick<EventLog, 'filter'>
  readonly out: (line: string) => void
  readonly sleep: (ms: number) => Promise<void>
  readonly now: () => number
}

/** Who has called an agent, and why, is known from these. */
export const topicsOfTalk = ['bot-conversations', 'bot-replies', 'enrichments'] as const

/** In ms: how long the client waits for the first reply, and for more after each reply. */
const firstWithinMs = 30_000
const moreWithinMs = 2_000
/** In ms: how long after the service has the invitation it is awaited that the log says who has sent it. */
const saidWithinMs = 5_000
const lookAgainMs = 100

const doesItRun = 'does your bot run, with the same brokers and TOPIC_PREFIX?'

const inChat = ({ log }: Pick<Deps, 'log'>, chatId: string, type: 'AgentInvited' | 'BotReplyDelivered') =>
  log.filter((seen) => seen.type === ceType(type) && seen.data.chatId === chatId).map(({ data }) => data)

/** True if the newest reply that was delivered to the chat says that its answer follows. */
export const isMoreToCome = (log: Pick<EventLog, 'filter'>, chatId: string): boolean =>
  inChat({ log }, chatId, 'BotReplyDelivered').at(-1)?.expectsMore === true

/** What the agent reads beside the chat. */
const noteLines = ({ log, account }: Pick<Deps, 'log' | 'account'>, chatId: string): ReadonlyArray<string> => {
  const key = enrichmentKey(account.id, 'chatId', chatId)
  const notes = log.filter((seen) => seen.topic === 'enrichments' && seen.key === key)
  const note = Enrichment.decode(notes.at(-1)?.data)
  if (E.isLeft(note)) return []
  const { customData, crmLink } = note.right
  return [
    ...(customData ?? []).map(({ title, content, link }) =>
      [title && `${title}: `, content, link && ` (${link})`].map((part) => part ?? '').join(''),
    ),
    ...(crmLink ? [crmLink] : []),
  ].map((line) => `        ${line}`)
}

type Call = {
  /** The bridge and the service call an agent if they get no answer of the bot. */
  readonly by: 'bot' | 'bridge' | 'service'
  readonly lines: ReadonlyArray<string>
}

/** Who has called an agent to the chat, and why. Undefined if the log does not say it yet. */
export const callIn = (given: Pick<Deps, 'log' | 'account'>, chatId: string): Call | undefined => {
  const invited = inChat(given, chatId, 'AgentInvited').at(-1)
  if (invited?.invitedBy === 'service')
    return { by: 'service', lines: ['the service calls an agent: the bridge did not answer in time'] }
  if (invited !== undefined) {
    const why =
      invited.reason === 'delivery-failed'
        ? 'the reply of the bot could not be delivered'
        : `no reply in time; ${doesItRun}`
    return { by: 'bridge', lines: [`the bridge calls an agent: ${why}`] }
  }
  const asked = inChat(given, chatId, 'BotReplyDelivered').findLast(({ commandType }) => commandType === 'InviteAgent')
  if (asked === undefined) return undefined
  const commands = given.log.filter(({ topic, id }) => topic === 'bot-replies' && id === asked.commandId)
  const command = BotReply.decode(commands.at(-1)?.data)
  const reason = E.isRight(command) && command.right.type === 'InviteAgent' ? command.right.reason : undefined
  return {
    by: 'bot',
    lines: [`bot:    (calls an agent${reason === undefined ? '' : `: ${reason}`})`, ...noteLines(given, chatId)],
  }
}

/** Prints who has called an agent. True if it was the bot. */
const tellOfCall = async (deps: Deps, chatId: string): Promise<boolean> => {
  const { out, sleep, now } = deps
  const until = now() + saidWithinMs
  let call = callIn(deps, chatId)
  for (; call === undefined && now() < until; call = callIn(deps, chatId)) await sleep(lookAgainMs)
  for (const line of call?.lines ?? ['somebody calls an agent']) out(line)
  return call?.by === 'bot'
}

/** Prints what the bot says after the first `before` messages. `isOver`: an agent has the chat, or nobody answers. */
const readAnswer = async (deps: Deps, chatId: string, before: number) => {
  const { account, service, log, out, sleep, now } = deps
  let read = before
  let until = now() + firstWithinMs
  // The bridge gives the answer `replyWithin` once more, and then invites an agent.
  const answerWithinMs = () => (isMoreToCome(log, chatId) ? account.bot.replyWithin : 0)
  for (;;) {
    const { delivered = [], invitations = [] } = service.chat(chatId) ?? {}
    for (const { message } of delivered.slice(read)) out(`bot:    ${message.text}`)
    if (delivered.length > read) until = now() + moreWithinMs
    read = delivered.length
    if (invitations.length > 0) return { read, isAnswered: await tellOfCall(deps, chatId), isOver: true }
    // After the look at the replies: the event of the answer may have come together with the answer.
    if (now() >= until + answerWithinMs()) break
    await sleep(lookAgainMs)
  }
  if (read === before) out(`Nobody answered: ${doesItRun}`)
  return { read, isAnswered: read > before, isOver: read === before }
}

const prompt = 'client: '

type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** The words that were given, then the lines that are typed. Without words, the lines of any standard input. */
export async function* linesOf(
  words: ReadonlyArray<string>,
  { input, output, out }: Terminal & Pick<Deps, 'out'>,
): AsyncGenerator<string> {
  for (const text of words) {
    out(`${prompt}${text}`)
    yield text
  }
  const isTyped = input.isTTY === true
  if (!isTyped && words.length > 0) return
  if (isTyped) out('Write to the bot; an empty line ends the talk.')
  const terminal = createInterface({ input, output, terminal: isTyped, prompt })
  // The input may have ended while the bot answers, as after Ctrl-D or in a pipe. Its lines are still read.
  let hasEnded = false
  terminal.once('close', () => {
    hasEnded = true
  })
  const ask = () => {
    if (isTyped && !hasEnded) terminal.prompt()
  }
  try {
    ask()
    for await (const line of terminal) {
      if (line.trim() === '') return
      if (!isTyped) out(`${prompt}${line}`)
      yield line
      ask()
    }
  } finally {
    terminal.close()
  }
}

/**
 * A client of a new chat writes line after line, and reads what the bot answers to each, until an agent is called. False
 * if the bot has not answered a line.
 */
export const talkToBot = async (lines: AsyncIterable<string> | Iterable<string>, deps: Deps): Promise<boolean> => {
  const { bridgeUrl, account, service, out } = deps
  service.connect(account.id, bridgeOf(bridgeUrl, account))
  const chatId = String(randomInt(10 ** 8, 10 ** 9))
  let read = 0
  for await (const text of lines) {
    const { regular } = await service.clientWrites(chatId, text)
    if (!regular) {
      out(`The bridge at ${bridgeUrl} did not take the message.`)
      return false
    }
    const answer = await readAnswer(deps, chatId, read)
    if (answer.isOver) return answer.isAnswered
    read = answer.read
  }
  return true
}
