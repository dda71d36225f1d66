import type { Db } from 'mongodb'
import { documentWithoutPersonalData, hasPersonalData, viewOfCopy } from '../views/index.ts'
import { rejectAfter, stepMs } from './client.ts'
import { numberTypesOf } from './number-types.ts'
import { documentsOf, type FindDocuments, type PersonDocument, type PlaceOfView } from './persons.ts'
import { dropAll, namesIn, writerOf } from './rebuild/collections.ts'
import { readRebuild } from './rebuild/state.ts'

// A copy is a collection beside the live view that has documents of it: of a rebuild, or made by hand (`chats_old`).

type Copy = PlaceOfView & {
  /** Whether a rebuild has made it. */
  readonly isOfRebuild: boolean
}

type CopiedDocument = PersonDocument & { readonly collection: string }

export type Copies = {
  /** A person's documents with personal data in copies of views. */
  readonly findCopies: (...person: Parameters<FindDocuments>) => AsyncIterable<CopiedDocument>
  /**
   * Removes personal data of a person from the collections of an unfinished rebuild, and drops collections that no
   * rebuild needs any more. Copies that somebody made by hand stay as they are.
   */
  readonly emptyCopies: (...person: Parameters<FindDocuments>) => Promise<void>
}

/** The copies that this database has. */
const copiesIn = async (db: Db): Promise<ReadonlyArray<Copy>> =>
  [...(await rejectAfter(stepMs, namesIn(db)))].flatMap((collection) => {
    const view = viewOfCopy(collection)
    return view === undefined ? [] : [{ collection, view, isOfRebuild: writerOf(collection) !== undefined }]
  })

/** The copies that rebuilds have made. They have the indexes of their views. */
export const rebuiltCopiesIn = async (db: Db): Promise<ReadonlyArray<Copy>> =>
  (await copiesIn(db)).filter(({ isOfRebuild }) => isOfRebuild)

/**
 * Collections that a writer has left which works on no rebuild now: it was frozen while its rebuild ended. The names
 * are read before the rebuild is, so a collection of a rebuild that begins meanwhile is not among them.
 */
const dropAbandoned = async (db: Db): Promise<void> => {
  const rebuilt = await rebuiltCopiesIn(db)
  if (rebuilt.length === 0) return
  const { writers = [] } = (await readRebuild(db)) ?? {}
  const isNeeded = (collection: string) => writers.some((writer) => writer === writerOf(collection))
  await dropAll(
    db,
    rebuilt.flatMap(({ collection }) => (isNeeded(collection) ? [] : [collection])),
  )
}

export const copiesOfPersonsIn = (db: Db): Copies => {
  const find = async function* (
    copies: ReadonlyArray<Copy>,
    ...[accountId, of]: Parameters<FindDocuments>
  ): AsyncGenerator<CopiedDocument> {
    for (const { collection, view } of copies)
      for await (const document of documentsOf(db, { view, collection }, accountId, of))
        if (hasPersonalData(view, document)) yield { collection, view, document }
  }
  return {
    findCopies: async function* (...person) {
      yield* find(await copiesIn(db), ...person)
    },
    emptyCopies: async (...person) => {
      await dropAbandoned(db)
      for await (const { collection, view, document } of find(await rebuiltCopiesIn(db), ...person)) {
        const { _id, applied } = document as { readonly _id: string; readonly applied?: object }
        // A rebuild that has changed the document meanwhile is running, and removes the data when it reads the marker.
        const unchanged = { _id, ...(applied && { applied }) }
        const copies = db.collection<{ readonly _id: string; readonly applied?: object }>(collection)
        await rejectAfter(
          stepMs,
          copies.replaceOne(unchanged, numberTypesOf(view)(documentWithoutPersonalData(view, document))),
        )
      }
    },
  }
}
