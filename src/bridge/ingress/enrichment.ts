import type { Enrichment } from '../../../contracts/commands/enrichment.ts'
import { enrichmentKey, visitorFields } from '../../../contracts/commands/enrichment.ts'
import type { ChatAccepted, ChatUpdated, DomainEvent } from '../../../contracts/events/index.ts'
import type { WebhookReply } from '../../../contracts/webhooks/reply.ts'
import { WireId } from '../../../contracts/wire.ts'
import { within } from '../shared/timeout.ts'

/**
 * The newest enrichment of the first key that has one. It is looked up at once or, if no key is known to have one yet,
 * after the event is in the log. The signal aborts when nobody waits for it any more.
 */
export type FindEnrichment = (
  keysOf: () => ReadonlyArray<string>,
  published: Promise<unknown>,
  signal: AbortSignal,
) => Promise<Enrichment | undefined>

type Enriched = ChatAccepted | ChatUpdated

const isEnriched = (event: DomainEvent): event is Enriched =>
  event.type === 'ChatAccepted' || event.type === 'ChatUpdated'

/** The service's reference has no `client_id` in these events. If the service sends one, it is in `extra`. */
const clientIdOf = ({ extra }: Enriched['data']): string | undefined => {
  const id = WireId.decode(extra?.client_id)
  return id._tag === 'Right' ? id.right : undefined
}

/** The possible keys of a visitor's enrichment, in the order in which they are tried. */
const visitorKeys = ({ data }: Enriched): ReadonlyArray<string> => {
  const values: Readonly<Record<(typeof visitorFields)[number], string | undefined>> = {
    userToken: data.userToken,
    clientId: clientIdOf(data),
    email: data.visitor?.email,
    phone: data.visitor?.phone,
    visitorNumber: data.visitor?.number,
  }
  return visitorFields.flatMap((field) => {
    const value = values[field]
    return value === undefined || value === '' ? [] : [enrichmentKey(data.accountId, field, value)]
  })
}

const chatKeys = ({ data: { accountId, chatId } }: Enriched): ReadonlyArray<string> => [
  enrichmentKey(accountId, 'chatId', chatId),
]

/** What is known of the chat, added to what is known of its visitor: fields that the visitor has stay as they are. */
const merged = (visitor: Enrichment | undefined, chat: Enrichment | undefined): Enrichment | undefined => {
  if (visitor === undefined || chat === undefined) return visitor ?? chat
  const customData = [...(visitor.customData ?? []), ...(chat.customData ?? [])]
  return { ...chat, ...visitor, ...(customData.length > 0 && { customData }) }
}

/** What the service shows to the agent. */
export const replyOf = (enrichment: Enrichment | undefined): WebhookReply => {
  const { customData, contactInfo, enableAssign, crmLink, page } = enrichment ?? {}
  return {
    result: 'ok',
    ...(customData && { custom_data: customData }),
    ...(contactInfo && { contact_info: contactInfo }),
    ...(enableAssign !== undefined && { enable_assign: enableAssign }),
    ...(crmLink !== undefined && { crm_link: crmLink }),
    ...(page && { page }),
  }
}

/** The reply to an event: the enrichment if it is found within `withinMs`, otherwise a plain ok. Never rejects. */
export const replying =
  (find: FindEnrichment, withinMs: number) =>
  async (event: DomainEvent, published: Promise<unknown>): Promise<WebhookReply> => {
    if (!isEnriched(event)) return replyOf(undefined)
    const late = new AbortController()
    try {
      // Both are asked for at the same time, so they are one query.
      const found = Promise.all([
        find(() => visitorKeys(event), published, late.signal),
        find(() => chatKeys(event), published, late.signal),
      ])
      const [visitor, chat] = await within(withinMs, found, () => {
        late.abort()
        return [undefined, undefined] as const
      })
      return replyOf(merged(visitor, chat))
    } catch {
      return replyOf(undefined)
    }
  }
