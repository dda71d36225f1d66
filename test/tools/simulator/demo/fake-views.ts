import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import type { ViewName } from '../../../../src/bridge/views/index.ts'

const noon = new Date('2026-01-31T12:00:00.000Z')

/**
 * The documents that the demo looks for. Each exists once an event of it is in the log. Other tests check the real
 * fold.
 */
const examples: Readonly<Partial<Record<ViewName, object>>> = {
  chats: {
    state: 'finished',
    visitor: { name: 'John Smith', phone: '+14085550123' },
    acceptedAt: noon,
    assignTo: 'https://crm.example.com/contacts/42',
    messages: [1, 2],
    agents: [],
    firstResponseMs: 7000,
  },
  calls: { type: 'incoming', state: 'end' },
  clients: { status: { id: '2', title: 'Customer' } },
  offline_messages: { message: 'Please call me back tomorrow.' },
  conversations: { state: 'agent', outcome: 'agent-requested', joinedAt: noon, unavailableAt: noon },
  sessions: { acceptedAt: noon, ending: 'closed' },
  timeline: { type: 'ChatFinished', time: noon },
  daily_stats: {
    chats: { accepted: 1, finished: 1 },
    calls: { total: 1 },
    offlineMessages: 1,
    conversations: { started: 3 },
    replies: { delivered: 5 },
  },
  daily_stats_by: { by: 'agent' },
  deliveries: { state: 'delivered', attempts: [{}] },
}

/** What differs between documents: how often the client wrote, or the state of a call or session. */
const details = (view: ViewName, id: string, about: ReadonlyArray<IncomingRecord>): object => {
  const has = (text: string) => about.some(({ value, headers }) => `${value} ${headers.ce_type}`.includes(text))
  const count = (text: string) => about.filter(({ headers }) => String(headers.ce_type).includes(text)).length
  if (view === 'conversations') return { clientMessages: count('ClientMessage') }
  if (view === 'calls') {
    const history = Array.from({ length: count('CallStatusChanged') })
    return { state: history.length > 1 ? 'end' : 'start', history }
  }
  if (view === 'deliveries') return { state: has('BotReplyFailed') ? 'failed' : 'delivered', reason: 'rejected' }
  if (view !== 'sessions') return {}
  return { outcome: has('InviteAgent') ? 'abandoned' : 'contained', rating: id.endsWith('/1') ? 'bad' : 'good' }
}

export const documentOf = (all: ReadonlyArray<IncomingRecord>, view: ViewName, id: string): object | undefined => {
  const isOdd = (text: string) => text.includes('odd-')
  const records = all.filter(({ value, headers }) => isOdd(`${value} ${headers.ce_id}`) === isOdd(id))
  const last = id.slice(id.lastIndexOf('/') + 1).replace(/:invite$/, '')
  const subject = (view === 'sessions' ? id.split('/')[1] : last) ?? ''
  const entries = records.map(
    ({ topic, headers }) =>
      `demo/${topic === 'clients' ? 'client:' : ''}${headers.ce_subject}/${String(headers.ce_source).split('/').at(-1)}/${headers.ce_id}`,
  )
  if (view === 'timeline' && !entries.includes(id)) return undefined
  const about = records.filter(({ value, headers }) => `${value} ${headers.ce_id} ${headers.ce_time}`.includes(subject))
  return about.length > 0 ? { ...examples[view], ...details(view, id, about) } : undefined
}
