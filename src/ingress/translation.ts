import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { compiled } from '../../contracts/compiled.ts'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../contracts/primitives.ts'
import { problemsOf } from '../../contracts/problem.ts'
import { renameOf } from './domain-names.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { partOf } from './known-and-extra.ts'
import type { NotUnderstood } from './not-understood.ts'
import { structureOf } from './structure.ts'

/** What the bridge itself knows of a request; `id` and `contentHash` are for Interface A, whose payload has no id. */
export type Receipt = {
  readonly accountId: AccountId
  readonly receivedAt: Instant
  readonly traceparent: string
  readonly id?: string
  readonly contentHash?: string
}

type Rule = {
  readonly wire: t.Mixed
  readonly event: t.Decoder<unknown, DomainEvent>
  readonly subject: 'chatId' | 'clientId'
  readonly with?: JsonObject
}

export type Translate = (receipt: Receipt) => (payload: unknown) => E.Either<NotUnderstood, DomainEvent>

const invalid = (errors: t.Errors): NotUnderstood => ({ kind: 'invalid', problems: problemsOf(errors) })

const translateBy = (source: 'webhooks' | 'bot', { wire, event, subject, with: more }: Rule): Translate => {
  const structure = structureOf(wire)
  const part = partOf(structure)
  const rename = renameOf(structure)
  const [decodeWire, decodeEvent] = [compiled(wire), compiled(event)]
  return (receipt) => (payload) => {
    const { known, extra } = part(payload)
    const wired = decodeWire(known)
    if (E.isLeft(wired)) return E.left(invalid(wired.left))
    const renamed = rename(wired.right)
    const data = isJsonObject(renamed) ? renamed : {}
    const decoded = decodeEvent({
      type: event.name,
      id: receipt.id ?? data.id,
      source: `/accounts/${receipt.accountId}/${source}`,
      subject: data[subject],
      time: receipt.receivedAt,
      ...(receipt.contentHash !== undefined && { contentHash: receipt.contentHash }),
      traceparent: receipt.traceparent,
      data: { ...data, ...more, accountId: receipt.accountId, ...(extra !== undefined && { extra }) },
    })
    return E.isLeft(decoded) ? E.left(invalid(decoded.left)) : decoded
  }
}

const expect = (path: string, expected: string) => E.left({ kind: 'invalid' as const, problems: [{ path, expected }] })

/**
 * The translation of one interface: the rule that the payload's `field` names. Pure and total. What the wire codec does
 * not know goes into the data's `extra`; the envelope's own fields leave the data because the event's codec is exact.
 */
export const translations = (
  source: 'webhooks' | 'bot',
  field: string,
  rules: Readonly<Record<string, Rule>>,
): Translate => {
  const byName = new Map(Object.entries(rules).map(([name, rule]) => [name, translateBy(source, rule)]))
  return (receipt) => (payload) => {
    if (!isJsonObject(payload)) return expect('', 'an object')
    const name = payload[field]
    if (typeof name !== 'string') return expect(field, 'text')
    return byName.get(name)?.(receipt)(payload) ?? E.left({ kind: 'unknown-event' })
  }
}
