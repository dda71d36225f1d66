import type { Db } from 'mongodb'
import { mostDriftEntries } from '../../contracts/views/drift.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import type { Change } from '../domain/ports.ts'
import { chunks } from '../shared/slices.ts'
import type { CollectionOf } from './apply.ts'
import { within } from './client.ts'

/**
 * Chooses the changes of `drift` to apply. Leaves out records of events that were counted before, and takes a change's
 * `instead` if the account has no room for a new document.
 */
export type ChooseDrift = (changes: ReadonlyArray<Change>, collectionOf: CollectionOf) => Promise<ReadonlyArray<Change>>

type Entry = Pick<TimelineDocument, '_id' | 'topic' | 'partition' | 'offset'>

type Ports = {
  /** The existing entries of timeline with these ids. */
  readonly entries: (collection: string, ids: ReadonlyArray<string>) => Promise<ReadonlyArray<Entry>>
  /** Those of the ids whose documents exist. */
  readonly present: (collection: string, ids: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** How many documents an account has, without the one for `others`. */
  readonly count: (collection: string, accountId: string) => Promise<number>
}

/** `acme/others`: no account id has a slash. */
const accountOf = (id: string) => id.slice(0, id.indexOf('/'))

/**
 * An event that was appended twice has one entry in timeline. The entry names the first record, so the other records
 * are not counted. One document of each account is reserved for `others`. Within a process, the next call reads after
 * the previous one has written. Processes that reach the limit at the same time may each add the new documents of one
 * slice.
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
