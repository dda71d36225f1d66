import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import { conversationEvent } from '../../../../src/bot/harness.ts'
import { randomNumbers } from '../../../../src/tools/simulator/random.ts'

/** What the guide's bot says to words, as the log has it. */
const loggedReplies = (words: string): ReadonlyArray<object> => {
  switch (words) {
    case 'hours':
      return [
        {
          message: {
            type: 'MARKDOWN',
            content: 'We are **open** from 9 to 20, [find us](https://shop.example.com/map).',
            text: 'We are open from 9 to 20, find us: https://shop.example.com/map.',
          },
        },
      ]
    case 'agent':
      return [
        { message: { type: 'TEXT', text: 'One moment, please.' } },
        { commandType: 'InviteAgent', message: undefined },
      ]
    default:
      return [
        {
          message: {
            type: 'BUTTONS',
            title: 'How can we help?',
            text: 'How can we help?',
            buttons: [
              { id: 'hours', text: 'Opening hours' },
              { id: 'agent', text: 'Talk to a person' },
            ],
          },
        },
      ]
  }
}

const kinds = ['hours', 'click', 'agent', 'hello', 'thank you', 'my order'] as const

type LoggedChat = { readonly events: ReadonlyArray<ConversationEvent>; readonly turns: number }

/**
 * A day of conversations: greetings, clicks, hand-overs with and without an agent, agents who write on, closings,
 * replies that the service refused, repeated events. It goes straight into the log, because a bridge would take too
 * long for it. The same seed gives the same day.
 */
export function* dayOf(chats: number, seed: number): Generator<LoggedChat> {
  const random = randomNumbers(seed)
  const choose = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] as A
  for (let n = 1; n <= chats; n++) {
    const chatId = `${n}`
    let second = Math.floor(random() * 80_000)
    let count = 0
    const events: ConversationEvent[] = []
    let written = 0
    const add = (type: ConversationEvent['type'], data: object = {}) => {
      second += 1
      const time = new Date(Date.parse('2026-01-31T00:00:00Z') + second * 1000).toISOString()
      const event = conversationEvent(
        type,
        { chatId, clientId: `c${n}`, ...data },
        { id: `${chatId}-${++count}`, time, subject: chatId },
      )
      events.push(event)
      if (random() < 0.02) events.push(event)
      return event
    }
    const outcome = (type: 'BotReplyDelivered' | 'BotReplyFailed' | 'BotReplySuppressed', told: object) => {
      const requestedAt = events.at(-1)?.time
      const clean = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
      add(type, { commandId: `${chatId}-r${count}`, requestedAt, ...clean })
    }
    for (let turns = 1 + Math.floor(random() * 8); turns > 0; turns--) {
      const kind = choose(kinds)
      const said = kind === 'click' ? 'hours' : kind
      written++
      const message = {
        type: 'TEXT',
        text: kind === 'click' ? 'Opening hours' : kind,
        ...(kind === 'click' && { buttonId: 'hours' }),
      }
      const asked = add('ClientMessageReceived', { message })
      const replies = loggedReplies(said)
      if (random() < 0.03) {
        outcome('BotReplyFailed', { inReplyTo: asked.id, reason: choose(['rejected', 'attempts']), ...replies[0] })
        continue
      }
      for (const reply of replies) outcome('BotReplyDelivered', { inReplyTo: asked.id, ...reply })
      if (said !== 'agent') continue
      const how = random()
      if (how < 0.4) {
        add('AgentUnavailable')
        outcome('BotReplyDelivered', {
          message: { type: 'TEXT', text: 'Nobody is free now. Leave us your phone number, and we will call you back.' },
        })
      } else {
        add('AgentJoined')
        if (how < 0.7) add('ChatClosed')
        break
      }
    }
    yield { events, turns: written }
  }
}
