import { isDeepStrictEqual } from 'node:util'
import { type Db, MongoServerError } from 'mongodb'
import { flatViews } from '../views/flat-views.ts'

const namespaceExists = 48

/** Logs show only the name of an error (classify.ts). */
const nameIsTaken = (name: string): Error => {
  const error = new Error(
    `${name} is a collection that the bridge did not create; the bridge needs this name for a view: rename the collection`,
  )
  error.name = error.message
  return error
}

/**
 * Views of MongoDB itself, one row for each session and each message, for tools that cannot unwind arrays. A view with
 * another definition is dropped and created again: altering a view needs more rights than `readWrite` gives.
 */
export const ensureFlatViews = async (db: Db): Promise<void> => {
  for (const [name, { viewOn, pipeline }] of Object.entries(flatViews)) {
    const [found] = await db.listCollections({ name }, { nameOnly: false }).toArray()
    if (isDeepStrictEqual(found?.options, { viewOn, pipeline })) continue
    if (found !== undefined && found.type !== 'view') throw nameIsTaken(name)
    if (found !== undefined) await db.dropCollection(name)
    await db.createCollection(name, { viewOn, pipeline: [...pipeline] }).catch((error: unknown) => {
      // Another process has created it at the same time.
      if (!(error instanceof MongoServerError) || error.code !== namespaceExists) throw error
    })
  }
}
