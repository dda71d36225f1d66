import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { Enrichment } from '../../../contracts/commands/enrichment.ts'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import type { HistoryMessage } from '../../../contracts/http.ts'
import type { Chat } from '../../../src/bot/chat.ts'
import { defaultLimits, defaultTurns, type Turns } from '../../../src/bot/conversation.ts'
import type { ChatAccess, Handlers } from '../../../src/bot/handlers.ts'
import { conversationEvent } from '../../../src/bot/harness.ts'
import { messageOf } from '../../../src/bot/history.ts'
import { enrichmentOf } from '../../../src/bot/note.ts'
import { handOver, type Note, type Reply, text } from '../../../src/bot/replies.ts'
import { inVirtualTime } from '../../../src/bot/virtual-time.ts'
import { semaphore } from '../../../src/bridge/shared/semaphore.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { givenChat } from '../given-chat.ts'

type Said = { readonly text: string } | { readonly handOver: { readonly reason?: string } & Note }
type Rule = {
  readonly when?: string
  readonly say?: string
  readonly afterMs?: number
  readonly throws?: 'once' | 'always'
  readonly replies: ReadonlyArray<Said>
}
type Bot = {
  readonly turns?: Turns
  readonly replyWithin?: number
  readonly atOnce?: number
  readonly rules: ReadonlyArray<Rule>
  readonly onAgentUnavailable?: ReadonlyArray<Said>
  readonly onFailure?: ReadonlyArray<Said>
}
type Step =
  | { readonly pauseMs: number }
  | { readonly clockSetByMs: number }
  | { readonly id: string; readonly chat: string; readonly writes: string; readonly atMs?: number }
  | { readonly id: string; readonly chat: string; readonly event: 'AgentJoined' | 'AgentUnavailable' | 'ChatClosed' }
type Published = {
  readonly text?: string
  readonly expectsMore?: true
  readonly handOver?: true
  /** True: some reason, in the words of the kit. */
  readonly reason?: string | true
  readonly inReplyTo?: string
}
type Scenario = {
  readonly name: string
  readonly bot: Bot
  readonly steps: ReadonlyArray<Step>
  /** The chats in the order of their first command. */
  readonly order?: ReadonlyArray<string>
  readonly published: Readonly<Record<string, ReadonlyArray<Published>>>
  readonly notes?: Readonly<Record<string, Enrichment>>
}

export const scenariosFile = new URL('scenarios.json', import.meta.url)
export const scenarios: ReadonlyArray<Scenario> = JSON.parse(readFileSync(scenariosFile, 'utf8'))

const replyOf = (said: Said, words: string, history: string): Reply =>
  'text' in said ? text(said.text.replace('{words}', words).replace('{history}', history)) : handOver(said.handOver)

/** The bot that a scenario describes. */
const handlersOf = ({ turns, rules, onAgentUnavailable, onFailure }: Bot): Handlers => {
  let calls = 0
  const answer = async (words: string, { history }: ChatAccess, say?: (reply: Reply) => Promise<void>) => {
    calls += 1
    const rule = rules.find(({ when }) => when === undefined || words.includes(when))
    if (rule?.say !== undefined) await say?.(text(rule.say))
    if (rule?.afterMs !== undefined) await wait(rule.afterMs)
    if (rule?.throws === 'always' || (rule?.throws === 'once' && calls === 1)) throw new Error('the model is busy')
    const said = (await history()).map(({ from, text: line }) => `${from}: ${line}`).join(' | ')
    return (rule?.replies ?? []).map((reply) => replyOf(reply, words, said))
  }
  const fixed = (replies: ReadonlyArray<Said> | undefined) =>
    replies && (() => replies.map((each) => replyOf(each, '', '')))
  const [unavailable, failure] = [fixed(onAgentUnavailable), fixed(onFailure)]
  return {
    ...(turns === undefined
      ? { onMessage: ({ data }, chat) => answer(data.message.text ?? '', chat) }
      : {
          onTurn: ({ messages, say }, chat) =>
            answer(messages.map(({ data }) => data.message.text).join(' '), chat, say),
        }),
    ...(unavailable && { onAgentUnavailable: unavailable }),
    ...(failure && { onFailure: failure }),
  }
}

const beganAt = Date.parse('2026-01-31T12:00:00.000Z')

const eventOf = (step: Extract<Step, { readonly id: string }>): ConversationEvent => {
  const data = { chatId: step.chat, clientId: `client-of-${step.chat}` }
  return 'writes' in step
    ? conversationEvent(
        'ClientMessageReceived',
        { ...data, message: { type: 'TEXT', text: step.writes, timestamp: '2026-01-31T12:00:00.000Z' } },
        { id: step.id, time: new Date(beganAt + (step.atMs ?? 0)).toISOString() },
      )
    : conversationEvent(step.event, data, { id: step.id })
}

/** What a kit publishes in a scenario. */
export type Played = {
  readonly commands: Readonly<Record<string, ReadonlyArray<BotReply>>>
  readonly notes: Readonly<Record<string, Enrichment>>
  /** The chats in the order of their first command. */
  readonly order: ReadonlyArray<string>
}

/** Plays a scenario with the kit in TypeScript, in virtual time. */
export const play = ({ bot, steps }: Scenario): Promise<Played> =>
  inVirtualTime(beganAt, async () => {
    const commands: Record<string, BotReply[]> = {}
    const order = new Set<string>()
    const notes: Record<string, Enrichment> = {}
    const history: Record<string, HistoryMessage[]> = {}
    const chats = new Map<string, Chat>()
    const handlers = handlersOf(bot)
    const limits = {
      ...defaultLimits,
      replyWithin: bot.replyWithin ?? defaultLimits.replyWithin,
      atOnce: bot.atOnce ?? defaultLimits.atOnce,
    }
    const acquire = semaphore(limits.atOnce)
    let clockSetByMs = 0
    const chatOf = (chatId: string) => {
      const chat =
        chats.get(chatId) ??
        givenChat(handlers, {
          group: 'scenario',
          limits,
          acquire,
          now: () => Date.now() + clockSetByMs,
          turns: bot.turns ?? defaultTurns,
          readHistory: async (_, last) => (history[chatId] ?? []).slice(-last),
        })
      chats.set(chatId, chat)
      return chat
    }
    const receive = (event: ConversationEvent) => {
      const { chatId, clientId } = event.data
      const message = messageOf(event)
      if (message !== undefined) history[chatId] = [...(history[chatId] ?? []), message]
      chatOf(chatId).receive({
        event,
        finish: () => {},
        attach: async (note) => {
          notes[chatId] = enrichmentOf(note)
        },
        publish: async (command) => {
          order.add(chatId)
          commands[chatId] = [...(commands[chatId] ?? []), command]
          if (command.type !== 'BotMessage') return
          const outcome = { commandId: command.id, commandType: command.type, attempts: [] }
          const now = new Date().toISOString()
          receive(
            conversationEvent(
              'BotReplyDelivered',
              { ...outcome, chatId, clientId, requestedAt: now, message: { ...command.message, timestamp: now } },
              { id: `${command.id}:delivered`, time: now },
            ),
          )
        },
      })
    }
    for (const step of steps) {
      if ('pauseMs' in step) await sleep(step.pauseMs)
      else if ('clockSetByMs' in step) clockSetByMs += step.clockSetByMs
      else receive(eventOf(step))
    }
    for (const chat of chats.values()) await chat.idle()
    return { commands, notes, order: [...order] }
  })

const publishedBy = (command: BotReply): Published => {
  const { inReplyTo } = command
  const to = inReplyTo ? { inReplyTo } : {}
  if (command.type === 'InviteAgent')
    return { handOver: true, ...(command.reason && { reason: command.reason }), ...to }
  const words = command.message.type === 'TEXT' ? command.message.text : command.message.type
  return { text: words, ...(command.expectsMore && { expectsMore: true }), ...to }
}

/** A reason in the words of the kit is some reason. */
const like = (expected: ReadonlyArray<Published> = [], found: ReadonlyArray<Published> = []) =>
  found.map((each, i) => (expected[i]?.reason === true && each.reason !== undefined ? { ...each, reason: true } : each))

/** What a kit published, in the words of its scenario. */
export const inWordsOf = ({ published, notes = {}, order }: Scenario, played: Played) => ({
  expected: {
    groups: Object.keys(published).length === 0 ? [] : ['scenario'],
    published,
    notes,
    order: order ?? played.order,
  },
  found: {
    groups: [...new Set(Object.values(played.commands).flatMap((commands) => commands.map(({ group }) => group)))],
    published: Object.fromEntries(
      Object.entries(played.commands).map(([chat, commands]) => [
        chat,
        like(published[chat], commands.map(publishedBy)),
      ]),
    ),
    notes: played.notes,
    order: played.order,
  },
})
