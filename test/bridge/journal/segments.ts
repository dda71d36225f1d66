import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { encodeJournaled } from '../../../src/bridge/journal/record.ts'
import { frameSize } from '../../../src/bridge/journal/segment.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { append, drainAll, openAt, recordingLog, recordOf } from './given.ts'

export const segmentsOf = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.segment'))
    .sort()

/** Writes records to a new journal, and returns the file and the offset at which each record begins. */
export const written = async (records: ReadonlyArray<OutgoingRecord>, segmentBytes = 1_000_000) => {
  const dir = temporaryFolder()
  const journal = await openAt(dir, { segmentBytes })
  const places: { file: string; offset: number }[] = []
  for (const record of records) {
    await append(journal, [record])
    const file = segmentsOf(dir).at(-1) ?? ''
    places.push({ file, offset: statSync(join(dir, file)).size - frameSize(encodeJournaled(record)) })
  }
  const bytes = journal.state().bytes
  await journal.close()
  return { dir, bytes, places }
}

export const damage = (path: string, place: number, flip: number) => {
  const content = readFileSync(path)
  content.writeUInt8(content.readUInt8(place) ^ flip, place)
  writeFileSync(path, content)
}

export const three = [recordOf(1), recordOf(2), recordOf(3)]
export const reopened = async (dir: string, segmentBytes = 1_000_000) => {
  const { log, lines } = recordingLog()
  const journal = await openAt(dir, { segmentBytes, log })
  const { damaged, records: counted } = journal.state()
  const records = await drainAll(journal)
  await journal.close()
  return { damaged, counted, records, lines }
}
