import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What the journal needs of an open file; tests put a disk that fills up in its place. */
export type Handle = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'close'>
export type OpenFile = (path: string, flags: string) => Promise<Handle>

/** Makes a file durable, or a directory: a file's name survives a power cut only once its directory has been synced. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `write` may take less than it was given, when the disk is nearly full. */
export const writeAll = async (handle: Handle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** Writes a whole file so that after a crash it is the old one or the new one. */
export const replaceFile = async (openFile: OpenFile, path: string, content: Buffer): Promise<void> => {
  const fresh = `${path}.new`
  const handle = await openFile(fresh, 'w')
  try {
    await writeAll(handle, content, 0)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(fresh, path)
  await syncPath(dirname(path))
}
