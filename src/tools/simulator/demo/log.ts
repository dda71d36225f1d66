import type { IncomingRecord } from '../../../bridge/domain/log/record.ts'
import { isObject } from '../../../bridge/shared/json.ts'
import { createChanges } from '../changes.ts'

export type Data = Readonly<Record<string, unknown>>

/** A record as the story shows it: an event by its CloudEvents headers, a command by its own fields. */
export type LoggedEvent = {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly type: string
  readonly id: string
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly data: Data
}

const dataOf = (value: Buffer | null): Data => {
  try {
    const json: unknown = JSON.parse(String(value))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

const loggedEventOf = ({ topic, partition, offset, key, headers: bytes, value }: IncomingRecord): LoggedEvent => {
  const headers = Object.fromEntries(Object.entries(bytes).map(([name, header]) => [name, String(header)]))
  const data = dataOf(value)
  const { ce_type: type = String(data.type), ce_id: id = String(data.id) } = headers
  return { topic, partition, offset, type, id, key: String(key ?? ''), headers, data }
}

/** The records that are appended during the story. A record that is read twice is kept once. */
export const createEventLog = () => {
  const { changed, waitFor } = createChanges()
  const records = new Map<string, LoggedEvent>()
  const find = (wanted: (seen: LoggedEvent) => boolean) => [...records.values()].find(wanted)
  return {
    add: (record: IncomingRecord): LoggedEvent | undefined => {
      const place = `${record.topic}/${record.partition}@${record.offset}`
      if (records.has(place)) return undefined
      const seen = loggedEventOf(record)
      records.set(place, seen)
      changed()
      return seen
    },
    find,
    filter: (wanted: (seen: LoggedEvent) => boolean) => [...records.values()].filter(wanted),
    waitFor: (what: string, wanted: (seen: LoggedEvent) => boolean, withinMs: number) =>
      waitFor(what, () => find(wanted), withinMs),
  }
}
export type EventLog = ReturnType<typeof createEventLog>
