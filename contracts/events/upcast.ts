import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { strict } from '../read.ts'
import { DomainEvent } from './index.ts'
import { type EarlierVersion, earlierVersions, versionOf } from './versions.ts'

type Type = DomainEvent['type']

/** The version names of an event, oldest first: `ChatAccepted.v1`. The bridge writes the last one today. */
export const versionNames = (type: Type, earlier = earlierVersions): ReadonlyArray<string> =>
  Array.from({ length: versionOf(type, earlier) }, (_, i) => `${type}.v${i + 1}`)

/** The type attribute of CloudEvents: `livechat.ChatAccepted.v1`. */
export const ceTypeOfVersion = (name: string): string => `livechat.${name}`

/** The `$id` of a published JSON Schema. */
export const schemaId = (name: string): string => `urn:livechat:schemas:${name}`

/** How to read a record of one version: its event's type, the upcast to the newest version, and the event's decoder. */
export type VersionReader = {
  readonly type: Type
  readonly upcast: (data: unknown) => E.Either<t.Errors, unknown>
  readonly decode: (event: unknown) => E.Either<t.Errors, DomainEvent>
}

const through = (steps: ReadonlyArray<EarlierVersion>) => (data: unknown) =>
  steps.reduce<E.Either<t.Errors, unknown>>(
    (before, { codec, upcast }) => E.map(upcast)(E.chain((given) => codec.decode(given))(before)),
    E.right(data),
  )

const events = DomainEvent.types.map((codec) => ({
  // A codec of the union has the name of its event's type.
  type: codec.name as Type,
  decode: strict<DomainEvent>(codec),
}))

/** Every version of every event, by the ce_type of its records. Pure. */
export const recordedTypes = (earlier = earlierVersions): ReadonlyMap<string, VersionReader> =>
  new Map(
    events.flatMap(({ type, decode }) => {
      const steps = earlier.filter((version) => version.type === type)
      return versionNames(type, earlier).map(
        (name, i) => [ceTypeOfVersion(name), { type, decode, upcast: through(steps.slice(i)) }] as const,
      )
    }),
  )
