import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../domain/ports.ts'
import { type OpenFile, replaceFile } from './durable-files.ts'
import { codeOf } from './failure.ts'

/** The file that says how far the journal has been drained: up to and including this position all is in the log. */
export const checkpointFile = 'checkpoint'

const sum = (text: string) => crc32(text).toString(16).padStart(8, '0')

export const encodeCheckpoint = (drained: number): Buffer => {
  const text = `drained ${drained}`
  return Buffer.from(`${text} ${sum(text)}\n`)
}

/** Undefined when the file is not as it was written: then nothing is known to be drained. */
export const decodeCheckpoint = (content: Buffer): number | undefined => {
  const [, text = '', drained, checksum] =
    /^(drained (\d{1,15})) ([0-9a-f]{8})\n$/.exec(content.toString('latin1')) ?? []
  return checksum === sum(text) ? Number(drained) : undefined
}

/**
 * Writes checkpoints. One that cannot be written costs repeated records after a crash and nothing else, so draining
 * goes on: on a full disk it is what makes room.
 */
export const checkpointWriter = (dir: string, openFile: OpenFile, log: Log) => {
  let failing = false
  return async (drained: number): Promise<void> => {
    try {
      await replaceFile(openFile, join(dir, checkpointFile), encodeCheckpoint(drained))
      failing = false
    } catch (cause) {
      if (!failing) log.warn({ code: codeOf(cause) }, 'the place to which the journal is drained cannot be written')
      failing = true
    }
  }
}
