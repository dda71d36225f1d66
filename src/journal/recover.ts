import { readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../domain/ports.ts'
import { checkpointFile, decodeCheckpoint } from './checkpoint.ts'
import type { DamageReport } from './damage-report.ts'
import { syncPath } from './durable-files.ts'
import { codeOf } from './failure.ts'
import { scan } from './scan.ts'
import { isSegment, parseName, type Segment, type SegmentName } from './segment.ts'

type Deps = { readonly dir: string; readonly damage: DamageReport; readonly log: Log }

/** What a journal's directory holds: `drained` is the position of the last record that is known to be in the log. */
export type Recovered = { readonly segments: Segment[]; readonly drained: number; readonly nextPosition: number }

const recoverCheckpoint = async ({ dir, damage }: Deps): Promise<number> => {
  const content = await readFile(join(dir, checkpointFile)).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ENOENT') throw cause
  })
  if (content === undefined) return 0
  const drained = decodeCheckpoint(content)
  if (drained === undefined) await damage.report({ file: checkpointFile, offset: 0, content, reason: 'wrong checksum' })
  return drained ?? 0
}

const removeStranger = async (file: string, { dir, damage }: Deps) => {
  const content = await readFile(join(dir, file))
  const kept = await damage.report({ file, offset: 0, content, reason: 'a segment with an unreadable name' })
  if (E.isRight(kept)) await rm(join(dir, file))
}

const cutTail = async (path: string, name: string, content: Buffer, good: number, { damage, log }: Deps) => {
  const tail = content.subarray(good)
  const kept = await damage.setAside({ file: name, offset: good, content: tail, reason: 'torn tail' })
  log.warn(
    { file: name, offset: good, bytes: tail.length, ...(E.isLeft(kept) && { copy: kept.left.reason }) },
    'the end of the journal was torn and has been cut off',
  )
  await truncate(path, good)
  await syncPath(path)
}

const recoverSegment = async (segment: SegmentName, newest: boolean, drained: number, deps: Deps) => {
  const { name, mark } = segment
  const path = join(deps.dir, name)
  const content = await readFile(path)
  const { frames, damaged } = scan(mark, content)
  const last = damaged.at(-1)
  const torn = newest && last !== undefined && last.offset + last.bytes === content.length ? last : undefined
  // What cannot be set aside now is met again when it is read for the drain.
  for (const { offset, bytes, reason } of damaged.filter((place) => place !== torn))
    await deps.damage.report({ file: name, offset, content: content.subarray(offset, offset + bytes), reason })
  if (torn !== undefined) await cutTail(path, name, content, torn.offset, deps)
  const unread = frames.filter(({ position }) => position > drained)
  return {
    ...{ ...segment, path, bytes: torn?.offset ?? content.length },
    ...{ unread: unread.length, unreadSince: unread[0]?.appendedAt ?? 0 },
    last: frames.at(-1)?.position ?? segment.first,
  }
}

/**
 * Reads all segments in order. A torn tail (what follows the last good record of the newest segment: a crash while it
 * was written) is cut off; other damage is reported and set aside, and the records around it are kept.
 */
export const recover = async (deps: Deps): Promise<Recovered> => {
  const drained = await recoverCheckpoint(deps)
  const files = (await readdir(deps.dir)).filter(isSegment).sort()
  const segments: (Segment & { last: number })[] = []
  for (const file of files.filter((name) => parseName(name) === undefined)) await removeStranger(file, deps)
  const named = files.map(parseName).filter((name) => name !== undefined)
  for (const name of named) segments.push(await recoverSegment(name, name === named.at(-1), drained, deps))
  const lasts = segments.map(({ last }) => last)
  return { segments, drained, nextPosition: Math.max(drained, ...lasts) + 1 }
}
