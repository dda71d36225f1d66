import { ftruncateSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { OpenFile } from '../../../src/bridge/journal/files.ts'

export type Fault = 'none' | 'no space' | 'no space half-way' | 'no sync' | 'no sync and no truncate' | 'no new file'

const failed = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))

/** A disk with a fault to turn on and off. It writes at once, so a copy of a folder is what a killed process leaves. */
export const faultyDisk = () => {
  const disk: { fault: Fault } = { fault: 'none' }
  const openFile: OpenFile = async (path, flags) => {
    if (disk.fault === 'no new file') return failed('ENOSPC')
    const handle = await open(path, flags)
    return {
      write: async (...args: unknown[]) => {
        const [bytes, offset, length, position] = args as [Buffer, number, number, number]
        if (disk.fault === 'no space') return failed('ENOSPC')
        const isHalf = disk.fault === 'no space half-way'
        if (isHalf && length <= 20) return failed('ENOSPC')
        return { bytesWritten: writeSync(handle.fd, bytes, offset, isHalf ? length - 20 : length, position) }
      },
      datasync: () => (disk.fault.startsWith('no sync') ? failed('EIO') : Promise.resolve()),
      truncate: (length) =>
        disk.fault === 'no sync and no truncate' ? failed('EIO') : Promise.resolve(ftruncateSync(handle.fd, length)),
      close: () => handle.close(),
    } as Awaited<ReturnType<OpenFile>>
  }
  return { disk, openFile }
}
