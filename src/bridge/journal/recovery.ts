import { readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../shared/log.ts'
import type { DamageReport } from './damage.ts'
import { codeOf, type OpenFile, replaceFile, syncPath } from './files.ts'
import { isSegment, parseName, readSegmentHeader, type Segment, type SegmentName, scanFrames } from './segment.ts'

/** The file with the last drained position: Kafka has every record up to and including this position. */
const checkpointFile = 'checkpoint'

const sum = (text: string) => crc32(text).toString(16).padStart(8, '0')

const encodeCheckpoint = (drained: number): Buffer => {
  const text = `drained ${drained}`
  return Buffer.from(`${text} ${sum(text)}\n`)
}

/** Undefined when the file is damaged. Then no record is known to be drained. */
const decodeCheckpoint = (content: Buffer): number | undefined => {
  const [, text = '', drained, checksum] =
    /^(drained (\d{1,15})) ([0-9a-f]{8})\n$/.exec(content.toString('latin1')) ?? []
  return checksum === sum(text) ? Number(drained) : undefined
}

/**
 * Writes checkpoints. If a checkpoint cannot be written, the only cost is repeated records after a crash. So draining
 * continues: on a full disk, it frees space.
 */
export const checkpointWriter = (dir: string, openFile: OpenFile, log: Log) => {
  let failing = false
  return async (drained: number): Promise<void> => {
    try {
      await replaceFile(openFile, join(dir, checkpointFile), encodeCheckpoint(drained))
      failing = false
    } catch (cause) {
      if (!failing) log.warn({ code: codeOf(cause) }, 'the position to which the journal is drained cannot be written')
      failing = true
    }
  }
}

type Folder = { readonly dir: string; readonly damage: DamageReport; readonly log: Log }

/** The content of a journal's folder. `drained`: the position of the last record that Kafka is known to have. */
type Recovered = { readonly segments: Segment[]; readonly drained: number; readonly nextPosition: number }

/** The task's value. A failure names the file, so that an operator can find it. */
const naming = <A>(file: string, task: Promise<A>): Promise<A> =>
  task.catch((cause: unknown) => {
    throw Object.assign(new Error(file), { code: `${codeOf(cause)} at ${file}` })
  })

const recoverCheckpoint = async ({ dir, damage }: Folder): Promise<number> => {
  const content = await readFile(join(dir, checkpointFile)).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ENOENT') throw cause
  })
  if (content === undefined) return 0
  const drained = decodeCheckpoint(content)
  if (drained === undefined) await damage.report({ file: checkpointFile, offset: 0, content, reason: 'wrong checksum' })
  return drained ?? 0
}

const removeUnnamed = async (file: string, { dir, damage }: Folder) => {
  const content = await readFile(join(dir, file))
  const copied = await damage.report({ file, offset: 0, content, reason: 'a segment with an unreadable name' })
  if (E.isRight(copied)) await rm(join(dir, file))
}

// If the tail cannot be copied, it is not cut off, and the start fails.
const cutTail = async (path: string, file: string, content: Buffer, offset: number, { damage, log }: Folder) => {
  const tail = content.subarray(offset)
  const copied = await damage.setAside({ file, offset, content: tail, reason: 'torn tail' })
  if (E.isLeft(copied)) throw Object.assign(new Error(copied.left.reason), { code: copied.left.reason })
  await truncate(path, offset)
  await syncPath(path)
  log.warn({ file, offset, bytes: tail.length }, 'the end of the journal was torn and has been cut off')
}

const recoverSegment = async (segment: SegmentName, drained: number, folder: Folder) => {
  const { name: file, syncMarker } = segment
  const path = join(folder.dir, file)
  const content = await readFile(path)
  const { start, acknowledged } = readSegmentHeader(content)
  const { damaged } = scanFrames(syncMarker, content.subarray(0, acknowledged), start)
  // If bytes cannot be set aside now, the drain will find them and report them again.
  for (const { offset, bytes, reason } of damaged)
    await folder.damage.report({ file, offset, content: content.subarray(offset, offset + bytes), reason })
  if (content.length < acknowledged)
    await folder.damage.report({
      file,
      offset: content.length,
      content: Buffer.alloc(0),
      reason: 'the file is shorter than its acknowledged length',
    })
  const [torn] = scanFrames(syncMarker, content, acknowledged).damaged
  if (torn !== undefined) await cutTail(path, file, content, torn.offset, folder)
  const bytes = torn?.offset ?? content.length
  const { frames } = scanFrames(syncMarker, content.subarray(0, bytes), start)
  const unread = frames.filter(({ position }) => position > drained)
  return {
    ...segment,
    path,
    start,
    bytes,
    unread: unread.length,
    unreadSince: unread[0]?.appendedAt ?? 0,
    last: frames.at(-1)?.position ?? segment.first,
  }
}

/**
 * Reads all segments in order. Unreadable bytes behind the acknowledged bytes are a torn tail, from a crash during a
 * write: they are cut off. All other damage is reported and set aside, and the records around it are kept.
 */
export const recover = async (folder: Folder): Promise<Recovered> => {
  const drained = await naming(checkpointFile, recoverCheckpoint(folder))
  const files = (await readdir(folder.dir)).filter(isSegment).sort()
  const segments: (Segment & { last: number })[] = []
  for (const file of files) {
    const name = parseName(file)
    if (name === undefined) await naming(file, removeUnnamed(file, folder))
    else segments.push(await naming(file, recoverSegment(name, drained, folder)))
  }
  const lasts = segments.map(({ last }) => last)
  return { segments, drained, nextPosition: Math.max(drained, ...lasts) + 1 }
}
