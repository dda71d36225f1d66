import type * as t from 'io-ts'
import { ArchivedEvent } from '../../../contracts/archive.ts'
import { ErrorBody } from '../../../contracts/bot-api/error.ts'
import { BotMessageRequest, InviteAgentRequest } from '../../../contracts/bot-api/outbound.ts'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { schemaId, versionNames } from '../../../contracts/events/upcast.ts'
import { earlierVersions } from '../../../contracts/events/versions.ts'
import * as http from '../../../contracts/http.ts'
import { EventHeaders } from '../../../contracts/records.ts'
import { codecsOf, type Topic, topics } from '../../../contracts/topics.ts'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { WebhookReply } from '../../../contracts/webhooks/reply.ts'
import { botEventForms, webhookForms } from '../../../contracts/wire-forms.ts'
import { documentCodecs } from '../../bridge/views/index.ts'

/**
 * Who writes and who reads, which decides what may change. An `event` is kept permanently and read by old and new
 * readers. What is `received` is written by others and read by the bridge. What is `given` is written by the bridge and
 * read by others.
 */
export type Direction = 'event' | 'received' | 'given'

/**
 * A published schema: `<name>.json` with the `$id`. `codec` defines its content, and the docstring of `describedBy`
 * describes it. `asRequest`: it is read from a request's body, where integers of any size are exact.
 */
export type Published = {
  readonly name: string
  readonly id: string
  readonly direction: Direction
  readonly codec: t.Mixed
  readonly describedBy: t.Mixed
  readonly asRequest?: true
}

type EventCodec = (typeof DomainEvent.types)[number]
export const typeOf = (event: EventCodec): DomainEvent['type'] => event.type.types[0].props.type.value
const dataOf = (event: EventCodec): t.Mixed => event.type.types[0].props.data

/** Every version of every event. Old records stay in the log, so their schemas stay published. */
export const eventsWith = (earlier = earlierVersions): ReadonlyArray<Published> =>
  DomainEvent.types.flatMap((event) => {
    const type = typeOf(event)
    const before = earlier.filter((version) => version.type === type).map(({ codec }) => codec)
    return versionNames(type, earlier).map((name, i): Published => {
      const codec = before[i] ?? dataOf(event)
      return { name, id: schemaId(name), direction: 'event', codec, describedBy: event }
    })
  })

export const events = eventsWith()

const named =
  (direction: Direction) =>
  ([name, codec]: [string, t.Mixed]): Published => ({
    name,
    id: schemaId(name),
    direction,
    codec,
    describedBy: codec,
  })

const withName = (codec: t.Mixed): [string, t.Mixed] => [codec.name, codec]

/** What topics of JSON carry. */
export const commands = topics.flatMap((topic: Topic) => {
  if (topic.content.kind !== 'json') return []
  return codecsOf(topic)
    .map(withName)
    .map(named(topic.writtenBy === 'others' ? 'received' : 'given'))
})

export const archived = named('given')(['ArchivedEvent', ArchivedEvent])

const ofBytes = topics.flatMap(({ content }: Topic) => (content.kind === 'bytes' ? [content.headers] : []))
export const headers = [EventHeaders, ...ofBytes].map(withName).map(named('given'))

/** The documents of the views, without their parts. */
export const documents = [...documentCodecs, ErasureDocument].map(withName).map(named('given'))

/** The requests of the service to the bridge. */
export const requests = [...webhookForms, ...botEventForms]
  .map(({ name, codec }): [string, t.Mixed] => [name, codec])
  .map(named('received'))
  .map((entry): Published => ({ ...entry, asRequest: true }))

const { AccessTokenRequest, ...answers } = http

/** The other HTTP bodies: the bridge's responses, the bridge's requests, and the service's responses to them. */
const bodies = [
  ...Object.entries({ WebhookReply, ...answers, BotMessageRequest, InviteAgentRequest }).map(named('given')),
  ...Object.entries({ AccessTokenRequest, ErrorBody }).map(named('received')),
]

export const published: ReadonlyArray<Published> = [
  ...events,
  ...commands,
  archived,
  ...headers,
  ...documents,
  ...requests,
  ...bodies,
]

const directions = new Map(published.map(({ name, direction }) => [name, direction]))

/** Who writes and who reads the values of this schema. An unknown schema gets the strictest direction. */
export const directionOf = (name: string): Direction => directions.get(name) ?? 'event'
