import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32c } from '@node-rs/crc32'
import type { Cluster } from './cluster.ts'

/** The byte of a batch with its compression, and the first byte of its records (Kafka's message format 2). */
export const inBatch = { attributes: 22, records: 61 }
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
