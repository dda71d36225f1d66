import * as E from 'fp-ts/lib/Either.js'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { decodeRecord } from '../../../../src/bridge/kafka/records.ts'
import { changesOf } from '../../../../src/bridge/views/changes.ts'
import type { Documents } from '../history.ts'

/**
 * Removes documents whose content depends on the order of several partitions of one topic. A service's ids are unique,
 * hostile ids are not: events of several chats may share one id. Partitions have no order between them, so such a
 * document holds what the projector happened to read first or last. `drift` of the hostile account is removed too: it
 * counts an id once and has a limited number of entries, so the order decides which it has.
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
