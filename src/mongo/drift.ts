import type { Db } from 'mongodb'
import { mostDriftEntries } from '../../contracts/views/drift.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import type { Change } from '../domain/ports.ts'
import { chunks } from '../shared/slices.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'

/** Which changes of `drift` are made: what was counted before is left out, and what finds no room has another in its place. */
export type ChooseDrift = (changes: ReadonlyArray<Change>, collectionOf: CollectionOf) => Promise<ReadonlyArray<Change>>

type Entry = Pick<TimelineDocument, '_id' | 'topic' | 'partition' | 'offset'>

type Ports = {
  /** The entries of timeline with these ids that are there. */
  readonly entries: (collection: string, ids: ReadonlyArray<string>) => Promise<ReadonlyArray<Entry>>
  /** The ids among these that are there. */
  readonly present: (collection: string, ids: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** How many documents an account has, without the one for `others`. */
  readonly count: (collection: string, accountId: string) => Promise<number>
}

/** `acme/others`: no account id has a slash. */
const accountOf = (id: string) => id.slice(0, id.indexOf('/'))

/**
 * An event that was appended twice has one entry in timeline, which names its first record: its other records are not counted. One
 * place of an account is kept for what finds no other. Within a process one asks after the other has written; processes that meet at the
 * limit may each add what one of their slices has.
 */
export const chooseDrift =
  ({ entries, present, count }: Ports, most = mostDriftEntries - 1): ChooseDrift =>
  async (changes, collectionOf) => {
    const events = [...new Set(changes.flatMap(({ firstOf }) => firstOf?._id ?? []))]
    const found = new Map((await entries(collectionOf('timeline'), events)).map((entry) => [entry._id, entry]))
    const isFirst = ({ firstOf }: Change) => {
      const entry = firstOf && found.get(firstOf._id)
      return (
        entry === undefined ||
        (entry.topic === firstOf?.topic && entry.partition === firstOf.partition && entry.offset === firstOf.offset)
      )
    }
    const firsts = changes.filter(isFirst)
    const ids = [...new Set(firsts.map(({ id }) => id))]
    const known = new Set(await present(collectionOf('drift'), ids))
    const fresh = ids.filter((id) => !known.has(id))
    for (const [accountId, wanted] of Map.groupBy(fresh, accountOf)) {
      const left = Math.max(0, most - (await count(collectionOf('drift'), accountId)))
      for (const id of wanted.slice(0, left)) known.add(id)
    }
    return firsts.map((change) => (known.has(change.id) ? change : (change.instead ?? change)))
  }

const stepMs = 10_000
const idsAtOnce = 1_000
const options = { maxTimeMS: stepMs, readConcern: { level: 'local' } } as const

export const chooseDriftIn = (db: Db): ChooseDrift => {
  const find = async <D extends { readonly _id: string }>(
    collection: string,
    ids: ReadonlyArray<string>,
    projection: object,
  ) => {
    const found = chunks(ids, idsAtOnce).map((some) => {
      const those = db
        .collection<{ _id: string }>(collection)
        .find({ _id: { $in: [...some] } }, { ...options, projection })
      return within(stepMs, those.toArray()) as Promise<ReadonlyArray<unknown>>
    })
    return (await Promise.all(found)).flat() as ReadonlyArray<D>
  }
  return chooseDrift({
    entries: (collection, ids) => find<Entry>(collection, ids, { topic: 1, partition: 1, offset: 1 }),
    present: async (collection, ids) => (await find(collection, ids, { _id: 1 })).map(({ _id }) => _id),
    count: (collection, accountId) => {
      const those = { accountId, kind: { $ne: 'others' } }
      return within(stepMs, db.collection(collection).countDocuments(those, { maxTimeMS: stepMs }))
    },
  })
}
