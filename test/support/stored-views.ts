import type { Db } from 'mongodb'
import { foldedViews } from '../../src/bridge/views/index.ts'
import { asFolded, type Documents } from './memory-views.ts'

/** The views of what happens in chats, which are folded from events and commands. */
export const storyViews = foldedViews.map(({ name }) => name).filter((name) => name !== 'audit')

/** Every document of these views in MongoDB, as the fold writes it. */
export const storedViews = async (db: Db): Promise<Documents> => {
  const all = await Promise.all(
    storyViews.map(async (view) => {
      const documents = await db.collection<{ _id: string }>(view).find().toArray()
      return documents.map((document) => [`${view} ${document._id}`, asFolded(document)])
    }),
  )
  return Object.fromEntries(all.flat())
}
