import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'

type Message = { readonly text?: string; readonly buttonId?: string }

/** Where a changed bot does something else: the verdict for a client's message, or undefined if it does the same. */
export type Rule = (message: Message) => string | undefined

type Logged = {
  readonly type: string
  readonly name: string
  readonly isLate: boolean
  readonly data: {
    readonly message?: Message
    readonly inReplyTo?: string
    readonly because?: string
    readonly reason?: string
  }
}

const logged = ({ headers, value }: IncomingRecord): Logged => ({
  type: `${headers.ce_type}`.split('.')[1] ?? '',
  name: `${headers.ce_id}`,
  isLate: headers.ce_receivedtime !== undefined,
  data: JSON.parse(`${value}`),
})

const isSkipped = (events: ReadonlyArray<Logged>): boolean =>
  events.some(({ type, isLate }) => isLate || type === 'ChatErased') ||
  events.find(({ type }) => !type.startsWith('BotReply'))?.type === 'AgentJoined' ||
  !events.some(({ type }) => type === 'ClientMessageReceived')

/** Those that the log cannot compare: the bridge did not deliver what the bot answered. */
const undelivered = (events: ReadonlyArray<Logged>): ReadonlySet<string | undefined> =>
  new Set(
    events.flatMap(({ type, data: { because, reason, inReplyTo } }) =>
      (type === 'BotReplyFailed' || type === 'BotReplySuppressed') && because === undefined && reason !== 'duplicate'
        ? [inReplyTo]
        : [],
    ),
  )

const firstOf = (events: ReadonlyArray<Logged>, rule: Rule): string | undefined => {
  const withoutAnswer = undelivered(events)
  let turn = 0
  for (const { type, name, data } of events) {
    if (type !== 'ClientMessageReceived' && type !== 'AgentUnavailable') continue
    turn++
    const verdict = data.message && rule(data.message)
    if (type === 'ClientMessageReceived' && verdict !== undefined && !withoutAnswer.has(name))
      return `${turn} ${verdict}`
  }
  return undefined
}

/**
 * The chats that what-if must compare, and where the first divergence of each must be, as `turn verdict`. Counted from
 * the records alone, without any code of what-if. Each message of the day is a turn of its own.
 */
export const expected = (records: ReadonlyArray<IncomingRecord>, rule: Rule) => {
  const ofAccount = records.filter(({ key }) => `${key}`.startsWith('acme/'))
  const chats = Map.groupBy(ofAccount, ({ key }) => `${key}`.slice('acme/'.length))
  const compared: string[] = []
  const diverging: Record<string, string> = {}
  for (const [chatId, all] of [...chats].sort(([a], [b]) => Number(a) - Number(b))) {
    const events = [
      ...new Map(
        all
          .map(logged)
          .map((event) => [event.name, event] as const)
          .reverse(),
      ).values(),
    ].reverse()
    if (isSkipped(events)) continue
    compared.push(chatId)
    const first = firstOf(events, rule)
    if (first !== undefined) diverging[chatId] = first
  }
  return { compared, diverging }
}
