import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'
import type { Intake, Options } from '../../../../src/bridge/journal/intake.ts'
import {
  encodeHeader,
  frameAt,
  headerSize,
  frameLayout as layout,
  parseName,
} from '../../../../src/bridge/journal/segment.ts'
import { within } from '../../../../src/bridge/shared/timeout.ts'
import { instead } from './instead.ts'

type Open = (options: Options) => Promise<E.Either<string, Intake>>

/** The journal as other rooms open it, in a weaker form. */
const intake = (weaken: (open: Open) => Open) =>
  instead(
    () => import('../../../../src/bridge/journal/intake.ts'),
    ({ openIntake }) => ({ openIntake: weaken(openIntake) }),
  )

/** The opened journal, with some functions weakened. */
const opened = (weaken: (original: Intake, options: Options) => Partial<Intake>) =>
  intake(
    (open) => async (options) =>
      E.map((original: Intake) => ({ ...original, ...weaken(original, options) }))(await open(options)),
  )

const late = () => E.left({ kind: 'transient' as const, reason: 'no acknowledgement in time' })

const toKafka = async ({ send }: Options, record: Parameters<Options['send']>[0], withinMs: number) =>
  E.map(() => 'kafka' as const)(await within(withinMs, send(record), late))

/** What is on the disk is changed before the journal is opened. */
const changingSegments = (change: (content: Buffer, syncMarker: Buffer) => void) =>
  intake((open) => (options) => {
    for (const path of globSync(join(options.dataDir, 'journal', '*', '*', '*.segment'))) {
      const name = parseName(basename(path))
      const content = readFileSync(path)
      if (name !== undefined) change(content, name.syncMarker)
      writeFileSync(path, content)
    }
    return open(options)
  })

export const journal = {
  'the journal': [opened((_, options) => ({ append: (record, withinMs) => toKafka(options, record, withinMs) }))],
  'what waits in the journal goes first': [
    opened(({ append, state }, options) => {
      let wasEmpty = state().records === 0
      return {
        append: (record, withinMs) => {
          wasEmpty ||= state().records === 0
          if (!wasEmpty) void options.send(record)
          return append(record, withinMs)
        },
      }
    }),
  ],
  'a checksum for each record of the journal': [
    changingSegments((content, syncMarker) => {
      for (let offset = content.indexOf(syncMarker); offset !== -1; offset = content.indexOf(syncMarker, offset + 1)) {
        const frame = frameAt(syncMarker, content, offset)
        if (E.isRight(frame) || frame.left !== 'wrong checksum') continue
        const end = offset + layout.body + content.readUInt32LE(offset + layout.length)
        content.writeUInt32LE(crc32(content.subarray(offset + layout.version, end)), offset + layout.checksum)
      }
    }),
  ],
  'the end of what was acknowledged': [changingSegments((content) => void encodeHeader(headerSize).copy(content))],
  'a journal that cannot be opened ends the start': [
    intake((open) => async (options) => {
      const first = await open(options)
      return E.isRight(first) ? first : open({ ...options, dataDir: join(options.dataDir, 'next') })
    }),
  ],
  // A process opens its own journal and those of others in one step.
  'journals without a process are adopted': [
    instead(
      () => import('../../../../src/bridge/journal/journals.ts'),
      ({ openJournals }) => ({
        openJournals: async (options) => {
          const journals = await openJournals(options)
          const adopt = async () => ({ orphans: [], unusable: [] })
          return E.isRight(journals) ? E.right({ ...journals.right, adopt }) : journals
        },
      }),
    ),
  ],
  'the cap of the journal': [intake((open) => (options) => open({ ...options, maxBytes: options.maxBytes * 1000 }))],
  'a full disk is a refusal': [
    opened(({ append }) => ({
      append: async (record, withinMs) => {
        const outcome = await append(record, withinMs)
        return E.isLeft(outcome) && outcome.left.reason === 'journal full' ? E.right('journal') : outcome
      },
    })),
  ],
}
