import { open } from 'node:fs/promises'
import type { OpenFile } from '../../src/journal/durable-files.ts'

export type Fault = 'none' | 'no space' | 'no space half-way' | 'no sync' | 'no sync and no truncate' | 'no new file'

const failed = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))

/** A disk with a fault that can be turned on and off. */
export const faultyDisk = () => {
  const disk: { fault: Fault } = { fault: 'none' }
  const openFile: OpenFile = async (path, flags) => {
    if (disk.fault === 'no new file') return failed('ENOSPC')
    const handle = await open(path, flags)
    return {
      write: async (...args: unknown[]) => {
        const [bytes, offset, length, position] = args as [Buffer, number, number, number]
        if (disk.fault === 'no space') return failed('ENOSPC')
        if (disk.fault !== 'no space half-way') return handle.write(bytes, offset, length, position)
        return length > 20 ? handle.write(bytes, offset, length - 20, position) : failed('ENOSPC')
      },
      datasync: () => (disk.fault.startsWith('no sync') ? failed('EIO') : Promise.resolve()),
      truncate: (length) => (disk.fault === 'no sync and no truncate' ? failed('EIO') : handle.truncate(length)),
      close: () => handle.close(),
    } as Awaited<ReturnType<OpenFile>>
  }
  return { disk, openFile }
}
