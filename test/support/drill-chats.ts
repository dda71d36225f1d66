import type { Db } from 'mongodb'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { anEvent, at } from './given-events.ts'

/** The name of the visitor of a chat. */
export const nameOf = (chat: number) => `CANARY-${chat}-`

/** A chat begins. */
export const accepted = (chat: number): DomainEvent => {
  const visitor = { number: `7${chat}`, chatsCount: 1, name: nameOf(chat) }
  const event = anEvent('ChatAccepted', `accepted-${chat}`, at('10:00:00'), { chatId: `${chat}`, visitor })
  return { ...event, subject: `${chat}` } as DomainEvent
}

/** The names of visitors in the view. */
export const named = async (db: Db): Promise<ReadonlyArray<string>> =>
  (await db.collection<{ visitor?: { name?: string } }>('chats').find().toArray())
    .flatMap(({ visitor }) => visitor?.name ?? [])
    .sort()
