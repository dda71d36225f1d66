import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { Enrichment } from '../../../../contracts/commands/enrichment.ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import { HttpUrl } from '../../../../contracts/primitives.ts'
import { type Marks, marksOf } from '../../../../src/bridge/domain/person/personal-data.ts'
import { arbitraryOf } from '../../../support/arbitraries.ts'

/** The number in each word identifies the place where it was planted. */
const planted: string[] = []
const pattern = /CANARY(\d+)x/g

/** A word that occurs nowhere else. */
export const canary = (where: string): string => `CANARY${planted.push(where) - 1}x`

/** The canaries in a text or in bytes, by the place where they were planted. */
export const canariesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].flatMap(([, index]) => planted[Number(index)] ?? []))

export const isAny = (bytes: Buffer): boolean => bytes.includes('CANARY')

const leavesOf = (marks: Marks, path: string): ReadonlyArray<string> => {
  if (typeof marks === 'string') return marks === 'personal' ? [path] : []
  if ('items' in marks) return leavesOf(marks.items, `${path}[]`)
  if ('values' in marks) return leavesOf(marks.values, `${path}.*`)
  return [...marks.fields].flatMap(([name, field]) => leavesOf(field.marks, `${path}.${name}`))
}

type Plant = (path: string) => string

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value with a word in each personal leaf. */
const plantedIn = (marks: Marks, value: unknown, path: string, plant: Plant): unknown => {
  if (marks === 'personal' && typeof value === 'string')
    return HttpUrl.is(value) ? `https://example.com/${plant(path)}` : plant(path)
  if (marks === 'personal' && isRecord(value)) return { note: plant(path) }
  if (marks === 'personal' && Array.isArray(value))
    return value.map((item) => (isRecord(item) && 'text' in item ? { ...item, text: plant(path) } : plant(path)))
  if (typeof marks === 'string') return value
  if ('items' in marks)
    return Array.isArray(value) ? value.map((item) => plantedIn(marks.items, item, `${path}[]`, plant)) : value
  if (!isRecord(value)) return value
  if ('values' in marks) return { key: plantedIn(marks.values, 'text', `${path}.*`, plant) }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = marks.fields.get(name)
      return [name, field ? plantedIn(field.marks, item, `${path}.${name}`, plant) : item]
    }),
  )
}

const samples = 3_000

/** Enough values of a codec to cover every personal leaf; each leaf has its own canary. */
const valuesOf = (codec: t.Mixed, name: string, fixed: object): ReadonlyArray<object> => {
  const marks = marksOf(codec)
  const missing = new Set(leavesOf(marks, name))
  const chosen: object[] = []
  for (const sample of fc.sample(arbitraryOf(codec), { numRuns: samples, seed: 20 })) {
    if (missing.size === 0) break
    const here = new Set<string>()
    const given = Object.fromEntries(Object.entries(fixed).filter(([field]) => field in Object(sample)))
    const whole = { ...Object(sample), ...given }
    plantedIn(marks, whole, name, (path) => {
      here.add(path)
      return 'x'
    })
    if (![...here].some((path) => missing.has(path))) continue
    const value = plantedIn(marks, whole, name, canary) as object
    if (E.isLeft(codec.decode(value))) continue
    for (const path of here) missing.delete(path)
    chosen.push(value)
  }
  if (missing.size > 0) throw new Error(`no value of ${name} has ${[...missing].join(', ')}`)
  return chosen
}

const isMarker = (type: string) => type === 'ClientErased' || type === 'ChatErased'
const webhooks = /^(Chat(Accepted|Assigned|Updated|Finished)|Call|Client(Updated)|Offline)/
const sourceOf = (type: string) => (webhooks.test(type) ? 'webhooks' : type.startsWith('BotReply') ? 'egress' : 'bot')

type Ids = { readonly accountId: string; readonly chatId: string; readonly clientId: string }

/** Events of every type about one person. */
export const eventsOf = (ids: Ids): ReadonlyArray<DomainEvent> =>
  DomainEvent.types.flatMap(({ name, type }) => {
    if (isMarker(name)) return []
    const subject = name === 'ClientUpdated' ? ids.clientId : ids.chatId
    return valuesOf(type.types[0].props.data, name, ids).map((data, i) => {
      const attributes = { id: `canary-${name}-${i}`, source: `/accounts/${ids.accountId}/${sourceOf(name)}`, subject }
      const event = DomainEvent.decode({ ...attributes, type: name, time: new Date().toISOString(), data })
      if (E.isLeft(event)) throw new Error(`a ${name} breaks its contract`)
      return event.right
    })
  })

/** Commands of every kind. */
export const commandsOf = (ids: Ids): ReadonlyArray<object> =>
  BotReply.types
    .flatMap((codec) => valuesOf(codec, codec.name, ids))
    .map((value, i) => ({ ...value, id: `canary-${i}` }))

export const enrichmentsOf = (): ReadonlyArray<object> => valuesOf(Enrichment, 'Enrichment', {})

/** Where every canary so far was planted, by any run: all runs plant the same, and runs may overlap. */
export const allPlanted = (): ReadonlySet<string> => new Set(planted)
