import * as fc from 'fast-check'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import { Id, type Instant } from '../../../../contracts/primitives.ts'
import { type Outcome, outcomeEvent } from '../../../../src/bridge/egress/delivery/outcome.ts'
import { accountId, botMessage, inviteAgent, serviceEvent } from './values.ts'

export const instants = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString() as Instant)

const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }).filter(Id.is)
const texts = fc.string({ unit: 'binary' })
const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const timestamp = { timestamp: orNull(instants) }
const button = fc.record({ text: texts, id: ids })

const messages = fc.oneof(
  fc.record({ type: fc.constant('TEXT' as const), text: texts, ...timestamp }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('MARKDOWN' as const), content: texts, text: orNull(texts), ...timestamp },
    { requiredKeys: ['type', 'content'] },
  ),
  fc.record(
    {
      type: fc.constant('BUTTONS' as const),
      title: texts,
      buttons: fc.array(button, { minLength: 1, maxLength: 3 }),
      text: orNull(texts),
      force_reply: fc.boolean(),
      ...timestamp,
    },
    { requiredKeys: ['type', 'title', 'buttons'] },
  ),
)
const addressed = {
  id: ids,
  accountId: fc.constant(accountId),
  chatId: ids,
  clientId: ids,
  inReplyTo: orNull(ids),
}
const required = ['type', 'id', 'accountId', 'chatId', 'clientId'] as const

/** Any command that its codec accepts. */
export const botReplies: fc.Arbitrary<BotReply> = fc.oneof(
  fc.record(
    { type: fc.constant('BotMessage' as const), ...addressed, message: messages },
    { requiredKeys: [...required, 'message'] },
  ),
  fc.record({ type: fc.constant('InviteAgent' as const), ...addressed }, { requiredKeys: [...required] }),
)

const second = (n: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, n)).toISOString() as Instant
const service = fc
  .tuple(
    fc.constantFrom(
      ...(['ClientMessageReceived', 'AgentInvited', 'AgentJoined', 'AgentUnavailable', 'ChatClosed'] as const),
    ),
    fc.nat(8),
    fc.nat(59),
  )
  .map(([type, n, at]) => serviceEvent(type, `e${n}`, second(at)))

export const outcomes: fc.Arbitrary<Outcome> = fc.constantFrom(
  { kind: 'delivered' },
  { kind: 'failed', reason: 'attempts' },
  { kind: 'suppressed', reason: 'agent-joined' },
)
const places = fc.option(
  fc.nat(10).map((n) => `e${n}`),
  { nil: undefined },
)
const becauses = fc.option(
  fc.constantFrom('no-reply-in-time' as const, 'delivery-failed' as const, 'agent-unavailable' as const),
  { nil: undefined },
)
const own = fc
  .record({ type: fc.constantFrom('BotMessage', 'InviteAgent'), n: fc.nat(4), inReplyTo: places })
  .chain(({ type, n, inReplyTo }) => {
    const addressed = { ...(inReplyTo !== undefined && { inReplyTo: inReplyTo as Id }) }
    const command = type === 'BotMessage' ? botMessage(`c${n}`) : inviteAgent(`c${n}`)
    return fc.tuple(fc.constant({ ...command, ...addressed }), outcomes, becauses, fc.nat(59))
  })
  .map(([command, outcome, because, at]) =>
    outcomeEvent({
      command,
      outcome,
      because,
      requestedAt: second(0),
      time: second(at),
      attempts: [{ at: second(at), durationMs: 5 }],
    }),
  )

/** The log of a conversation: events of the service, some of them twice, and outcomes of commands, in any order. */
export const conversationEvents = fc.array(fc.oneof(service, own), { maxLength: 25 }) as fc.Arbitrary<
  ReadonlyArray<ConversationEvent>
>
