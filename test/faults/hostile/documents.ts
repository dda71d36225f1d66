import * as E from 'fp-ts/lib/Either.js'
import type { IncomingRecord } from '../../../src/domain/ports.ts'
import { decodeRecord } from '../../../src/kafka/records.ts'
import { changesOf } from '../../../src/projections/decoded.ts'
import type { Documents } from '../history.ts'

/**
 * A service's ids are unique, hostile ones are not. A document that several partitions of one topic have a say in (one id for events
 * of several chats) holds what the projector happened to see first or last, since there is no order between them: it is left out.
 * So is their `drift`, which counts an id once and has room for so many entries: the order decides which.
 */
export const withoutShared = (log: ReadonlyArray<IncomingRecord>) => {
  const places = new Map<string, Set<string>>()
  for (const record of log) {
    const decoded = decodeRecord(record)
    for (const { view, id } of E.isRight(decoded) ? changesOf(record, decoded.right) : []) {
      const known = places.get(`${view} ${id}`) ?? new Set()
      places.set(`${view} ${id}`, known.add(`${record.topic}/${record.partition}`))
    }
  }
  const topicsOf = (place: Set<string>) => new Set([...place].map((each) => each.split('/')[0]))
  const isShared = (id: string) => {
    if (id.startsWith('drift hostile/')) return true
    const place = places.get(id) ?? new Set()
    return topicsOf(place).size < place.size
  }
  return (documents: Documents): Documents =>
    Object.fromEntries(Object.entries(documents).filter(([id]) => !isShared(id)))
}
