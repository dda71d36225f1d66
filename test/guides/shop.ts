import type { DomainEvent } from '../../contracts/events/index.ts'
import { anEvent } from '../support/given-events.ts'

type Type = DomainEvent['type']

let count = 0
/** An event of a chat; `time` is like `03-02 09:00:10`, in the year 2026. */
const event = <T extends Type>(type: T, chatId: string, time: string, part: object = {}): DomainEvent => {
  const made = anEvent(type, `e${++count}`, `2026-${time.replace(' ', 'T')}.000Z`, { chatId, ...part })
  return { ...made, subject: chatId } as DomainEvent
}

const ann = { id: '1', name: 'Ann' }
const bob = { id: '2', name: 'Bob' }
const from = (source: string, campaign: string) => ({ session: { utmJson: { source, campaign } } })
const visitor = (number: string, chatsCount: number) => ({ visitor: { number, chatsCount, name: `Visitor ${number}` } })

const accepted = (chatId: string, time: string, agent: object, who: object, session: object = {}) =>
  event('ChatAccepted', chatId, time, { agent, ...who, ...session })

/** A closed chat. Its log has the visitor's first message at `asked`, and the agent's answer `afterSeconds` later. */
const finished = (
  chatId: string,
  asked: string,
  time: string,
  agent: object,
  who: object,
  afterSeconds: number,
  rate?: string,
) => {
  const askedAt = `2026-${asked.replace(' ', 'T')}.000Z`
  const answeredAt = new Date(Date.parse(askedAt) + afterSeconds * 1000).toISOString()
  return event('ChatFinished', chatId, time, {
    agents: [agent],
    ...who,
    chat: {
      messages: [
        { message: 'Hi', timestamp: askedAt, type: 'visitor' },
        { message: 'Hello', timestamp: answeredAt, type: 'agent' },
      ],
      blacklisted: false,
      ...(rate !== undefined && { rate }),
    },
  })
}

const call = (chatId: string, time: string, type: string, status: string, part: object = {}) =>
  event('CallStatusChanged', chatId, time, { call: { type, phone: '+15550100', status, ...part } })

const wrote = (chatId: string, time: string, text: string) =>
  event('ClientMessageReceived', chatId, time, {
    message: { type: 'TEXT', text, timestamp: '2026-03-02T00:00:00.000Z' },
  })

type Outcome = 'BotReplyDelivered' | 'BotReplyFailed' | 'BotReplySuppressed'
const reply = (type: Outcome, chatId: string, time: string, commandId: string, part: object = {}) => {
  const at = `2026-${time.replace(' ', 'T')}.000Z`
  const attempts = [{ at, durationMs: 20, status: 200 }]
  return event(type, chatId, time, { commandId, requestedAt: at, attempts, ...part })
}
const handOver = { commandType: 'InviteAgent', message: undefined }
const refused = (time: string) => ({
  reason: 'rejected',
  attempts: [{ at: `2026-${time.replace(' ', 'T')}.000Z`, durationMs: 20, status: 400, code: 'invalid_request' }],
})

/** The events of a shop in the first days of March 2026, from a Monday to the next Monday. */
export const shop: ReadonlyArray<DomainEvent> = [
  // On 1 March in Berlin.
  accepted('106', '02-28 23:30:00', ann, visitor('2752', 1)),
  accepted('101', '03-02 09:00:10', ann, visitor('2746', 1), from('google', 'spring')),
  finished('101', '03-02 09:00:00', '03-02 09:10:00', ann, visitor('2746', 1), 20, 'good'),
  accepted('102', '03-02 09:30:00', bob, visitor('2747', 1), from('google', 'spring')),
  finished('102', '03-02 09:29:40', '03-02 09:50:00', bob, visitor('2747', 1), 60, 'bad'),
  accepted('103', '03-03 14:00:00', ann, visitor('2746', 2)),
  finished('103', '03-03 13:59:50', '03-03 14:20:00', ann, visitor('2746', 2), 40),
  accepted('104', '03-03 14:05:00', ann, visitor('2748', 1), from('newsletter', 'march')),
  accepted('105', '03-09 09:20:00', bob, visitor('2749', 1), from('google', 'brand')),
  finished('105', '03-09 09:19:50', '03-09 09:40:00', bob, visitor('2749', 1), 30, 'like'),

  call('201', '03-02 10:00:00', 'incoming', 'start'),
  call('201', '03-02 10:00:05', 'incoming', 'agent_connected'),
  call('201', '03-02 10:05:00', 'incoming', 'end'),
  call('202', '03-02 11:00:00', 'incoming', 'start'),
  call('202', '03-02 11:00:30', 'incoming', 'end'),
  call('203', '03-03 11:00:00', 'incoming', 'start'),
  call('203', '03-03 11:00:02', 'incoming', 'error', { reason: 'busy' }),
  call('204', '03-03 12:00:00', 'callback', 'start'),
  call('204', '03-03 12:00:20', 'callback', 'end'),

  wrote('301', '03-02 09:05:00', 'When are you open?'),
  reply('BotReplyDelivered', '301', '03-02 09:05:02', 'r1', { inReplyTo: 'e19' }),
  event('ChatClosed', '301', '03-02 09:30:00'),
  wrote('302', '03-02 10:00:00', 'agent'),
  reply('BotReplyDelivered', '302', '03-02 10:00:01', 'r2', handOver),
  event('AgentJoined', '302', '03-02 10:00:31'),
  event('ChatClosed', '302', '03-02 10:20:00'),
  wrote('303', '03-03 10:00:00', 'agent'),
  reply('BotReplyDelivered', '303', '03-03 10:00:05', 'r3', handOver),
  event('AgentJoined', '303', '03-03 10:02:05'),
  reply('BotReplySuppressed', '303', '03-03 10:02:06', 'r4', { reason: 'agent-joined', attempts: [] }),
  wrote('304', '03-03 11:00:00', 'Where is my order?'),
  reply('BotReplyFailed', '304', '03-03 11:00:01', 'r5', refused('03-03 11:00:01')),
  event('AgentInvited', '304', '03-03 11:00:02', { invitedBy: 'bridge', reason: 'delivery-failed' }),
  event('AgentUnavailable', '304', '03-03 11:00:03'),

  event('OfflineMessageReceived', '401', '03-02 22:10:00', { offlineMessageId: '1', ...visitor('2750', 1) }),
  event('OfflineMessageReceived', '402', '03-02 23:10:00', { offlineMessageId: '2', ...visitor('2746', 3) }),
  event('OfflineMessageReceived', '403', '03-04 01:00:00', { offlineMessageId: '3', ...visitor('2751', 1) }),
]
