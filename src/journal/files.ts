import { chmod, type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'

/** What the journal needs of an open file; tests put a disk that fills up in its place. */
export type Handle = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'close'>
export type OpenFile = (path: string, flags: string) => Promise<Handle>

/** The file system's error as a code: its messages hold paths. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown'

/** The task's value, or a transient failure that says what was tried and the file system's code. */
export const attempt = async <A>(what: string, task: () => Promise<A>): Promise<E.Either<Failure, A>> => {
  try {
    return E.right(await task())
  } catch (cause) {
    return E.left({ kind: 'transient', reason: `${what}: ${codeOf(cause)}` })
  }
}

/** Makes a file durable, or a folder: a file's name survives a power cut only once its folder has been synced. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder that only its owner can read, with the folders above it, and makes every new name durable. */
export const makeFolder = async (path: string, sync = syncPath): Promise<void> => {
  const folder = resolve(path)
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  for (let made = folder; ; made = dirname(made)) {
    await sync(dirname(made))
    if (first === undefined || made === first) return
  }
}

const sticky = 0o1000

/** As `makeFolder`; an existing folder is closed to other users, unless it belongs to one of them or is shared, as /tmp is. */
export const makePrivateFolder = async (path: string): Promise<void> => {
  await makeFolder(path)
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) !== 0 && (mode & sticky) === 0 && uid === process.getuid?.()) await chmod(path, 0o700)
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
