import { closeSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32c } from '@node-rs/crc32'
import type { Cluster } from './cluster.ts'

/**
 * The byte of a batch with its compression, the number of its last record, and the first byte of its records (Kafka's
 * message format 2).
 */
export const inBatch = { attributes: 22, lastOffsetDelta: 23, records: 61 }
const checksum = { at: 17, from: 21 }

const startOf = (bytes: Buffer, offset: number): number => {
  let at = 0
  while (at < bytes.length && bytes.readBigInt64BE(at) !== BigInt(offset)) at += 12 + bytes.readInt32BE(at + 8)
  return at
}

/**
 * Changes one byte of the batch at an offset, on the broker's disk. With `isSound` it corrects the checksum, as if
 * another producer had written the batch; without, the batch is damaged, as by a failing disk. Returns the changed
 * batch.
 */
export const changeByte = (
  { dataDir }: Cluster,
  { topic, partition, offset }: { readonly topic: string; readonly partition: number; readonly offset: number },
  at: number,
  change: (byte: number) => number,
  isSound = false,
): Buffer => {
  const path = join(dataDir, 'kafka', 'data', `${topic}-${partition}`, `${'0'.repeat(20)}.log`)
  const bytes = readFileSync(path)
  const start = startOf(bytes, offset)
  const batch = bytes.subarray(start, start + 12 + bytes.readInt32BE(start + 8))
  batch.writeUInt8(change(batch.readUInt8(at)), at)
  if (isSound) batch.writeUInt32BE(crc32c(batch.subarray(checksum.from)), checksum.at)
  const file = openSync(path, 'r+')
  writeSync(file, batch, 0, batch.length, start)
  closeSync(file)
  return batch
}

/**
 * Cuts the batches of the last records of a partition, at least this many, as a power failure does with what was not
 * flushed. The broker must be dead. Returns how many records were cut.
 */
export const cutEnd = (
  { dataDir }: Cluster,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  atLeast: number,
): number => {
  const folder = join(dataDir, 'kafka', 'data', `${topic}-${partition}`)
  const path = join(folder, `${'0'.repeat(20)}.log`)
  const bytes = readFileSync(path)
  const batches: Array<{ readonly start: number; readonly records: number }> = []
  for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8))
    batches.push({ start: at, records: bytes.readInt32BE(at + inBatch.lastOffsetDelta) + 1 })
  let cut = 0
  for (let last = batches.pop(); last !== undefined && cut < atLeast; last = batches.pop()) {
    cut += last.records
    truncateSync(path, last.start)
  }
  // The broker makes these again from the log.
  for (const file of readdirSync(folder)) if (/\.(index|timeindex|snapshot)$/.test(file)) rmSync(join(folder, file))
  return cut
}
