import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'
import type { Intake } from '../../../../src/app/roles/intake.ts'
import { instead } from './instead.ts'

export const journal = {
  'the journal': [
    instead(
      () => import('../../../../src/app/roles/intake.ts'),
      ({ openIntake }) => ({
        openIntake: async (deps) => {
          const { append, publish } = deps.kafka
          const direct: Pick<Intake, 'append' | 'publish'> = {
            append,
            publish: async (event, withinMs) => E.map(() => 'kafka' as const)(await publish(event, withinMs)),
          }
          return E.map((intake: Intake) => ({ ...intake, ...direct }))(await openIntake(deps))
        },
      }),
    ),
  ],
  'what waits in the journal goes first': [
    instead(
      () => import('../../../../src/bridge/journal/failover.ts'),
      ({ initialState }) => ({ initialState: () => initialState(0) }),
    ),
  ],
  'a checksum for each record of the journal': [
    instead(
      () => import('../../../../src/bridge/journal/segment.ts'),
      ({ scanFrames, frameAt, frameLayout: at }) => ({
        scanFrames: (mark, content, from) => {
          const bytes = Buffer.from(content)
          for (let offset = bytes.indexOf(mark); offset !== -1; offset = bytes.indexOf(mark, offset + 1)) {
            const frame = frameAt(mark, bytes, offset)
            if (E.isRight(frame) || frame.left !== 'wrong checksum') continue
            const end = offset + at.body + bytes.readUInt32LE(offset + at.length)
            bytes.writeUInt32LE(crc32(bytes.subarray(offset + at.version, end)), offset + at.checksum)
          }
          return scanFrames(mark, bytes, from)
        },
      }),
    ),
  ],
  'the end of what was acknowledged': [
    instead(
      () => import('../../../../src/bridge/journal/segment.ts'),
      ({ readSegmentHeader, headerSize }) => ({
        readSegmentHeader: (content) => ({ ...readSegmentHeader(content), acknowledged: headerSize }),
      }),
    ),
  ],
  'a journal that cannot be opened ends the start': [
    instead(
      () => import('../../../../src/bridge/journal/journals.ts'),
      ({ openJournals }) => ({
        openJournals: async (options) => {
          const opened = await openJournals(options)
          return E.isRight(opened) ? opened : openJournals({ ...options, dir: join(options.dir, 'next') })
        },
      }),
    ),
  ],
  'journals without a process are adopted': [
    instead(
      () => import('../../../../src/bridge/journal/journals.ts'),
      ({ openJournals }) => ({
        openJournals: async (options) => {
          const opened = await openJournals(options)
          const adopt = async () => ({ orphans: [], unusable: [] })
          return E.isRight(opened) ? E.right({ ...opened.right, adopt }) : opened
        },
      }),
    ),
  ],
  'the cap of the journal': [
    instead(
      () => import('../../../../src/bridge/journal/journals.ts'),
      ({ openJournals }) => ({
        openJournals: (options) => openJournals({ ...options, maxBytes: options.maxBytes * 1000 }),
      }),
    ),
  ],
  'a full disk is a refusal': [
    instead(
      () => import('../../../../src/bridge/journal/writer.ts'),
      ({ segmentWriter }) => ({
        segmentWriter: (deps) => {
          const writer = segmentWriter(deps)
          const write: typeof writer.write = async (bodies) => ({
            ...(await writer.write(bodies)),
            outcome: E.right(undefined),
          })
          return { ...writer, write }
        },
      }),
    ),
  ],
}
