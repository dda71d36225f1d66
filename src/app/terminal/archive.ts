import type { LostRecords } from '../../bridge/archive/lost-keys.ts'
import {
  type KeysEvent,
  type LostKeys,
  lackingText,
  type ReplayEvent,
  type Rewrapped,
} from '../../bridge/operations/archive/archive-operations.ts'
import type { Replayed } from '../../bridge/operations/archive/replay.ts'
import { printable } from '../../bridge/shared/text.ts'
import type { Line, Words } from './words.ts'

export const archiveRewrapWords: Words<never, Rewrapped> = {
  result: ({ rewrapped, with: kid, retired }) => {
    const done = `${rewrapped} data keys were rewrapped with ${kid}.`
    if (retired === undefined) return [done]
    return [
      done,
      retired.left > 0
        ? `${retired.left} are wrapped with ${retired.kid} again: an archiver uses the old file. Restart it with the new file and repeat.`
        : `None is wrapped with ${retired.kid}. Once every archiver runs with the new file, remove this key.`,
    ]
  },
}

const shownAtMost = 20

const linesOfLost = (lost: ReadonlyArray<LostRecords>): ReadonlyArray<string> => {
  const iso = (ms: number) => new Date(ms).toISOString()
  const shown = lost.slice(0, shownAtMost).map(({ id, records, first, last }) => {
    const [topic, key] = [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)]
    return `${topic}  ${printable(key)}  records: ${records}, from ${iso(first)} to ${iso(last)}`
  })
  return [
    ...shown,
    ...(lost.length > shown.length ? [`and ${lost.length - shown.length} more`] : []),
    `Data keys that are lost: ${lost.length}. Archived records whose personal data cannot be read: ${lost.reduce((sum, each) => sum + each.records, 0)}.`,
  ]
}

const acceptedLines = ({ lostKey, other }: Extract<LostKeys, { kind: 'accepted' }>): ReadonlyArray<Line> => {
  const accepted = 'Accepted: these records count as erased from now on.'
  if (other !== undefined) return [accepted, lackingText(other)]
  const next = lostKey === undefined ? 'The archiver continues by itself.' : 'Now start the archivers.'
  return [`${accepted} ${next}`]
}

export const archiveKeysWords: Words<KeysEvent, LostKeys> = {
  event: (event) =>
    event.kind === 'lost'
      ? linesOfLost(event.lost)
      : [
          'The topics still have some records whose data keys are lost: the archiver archives them again when it starts.',
        ],
  result: (result) => {
    if (result.kind === 'accepted') return acceptedLines(result)
    const { lostKey, records } = result
    const [place, option] = lostKey === undefined ? ['collection archive_keys', ''] : ['file', ` --lost-key ${lostKey}`]
    const what = records ? 'Nothing has these records any more.' : 'No record is lost with it.'
    return [
      `${what} Restore the ${place} from a newer copy. If no copy has the keys: archive keys${option} --accept-loss`,
    ]
  },
}

/** `created` is also said by `sample`. */
export const createdLine = ({ topic, partitions, retentionDays }: Extract<ReplayEvent, { kind: 'created' }>): string =>
  `${topic} was created with ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}; Kafka deletes its records after ${retentionDays} days.`

export const archiveReplayWords: Words<ReplayEvent, Replayed & { readonly topic: string; readonly into: string }> = {
  event: (event) =>
    event.kind === 'created'
      ? [createdLine(event)]
      : [{ err: `${event.topic} is not complete. Delete it and repeat the command.` }],
  result: ({ topic, into, records, leftOut, corrupt, continueAt }) => [
    `${records} records of ${topic} are in ${into} now.`,
    ...(leftOut > 0 ? [`${leftOut} were left out: they are erased, or no events of the bridge.`] : []),
    ...(corrupt > 0 ? [`${corrupt} records of the archive are corrupt: they are dead letters now.`] : []),
    `Continue reading ${topic} at (partition: offset): ${Object.entries(continueAt)
      .map(([partition, offset]) => `${partition}: ${offset}`)
      .join(', ')}`,
  ],
}
