import { chmod, type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/log/record.ts'
import { makeFolders } from '../shared/private-files.ts'

/** The part of an open file that the journal uses. Tests replace it to simulate a full disk. */
export type Handle = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'close'>
export type OpenFile = (path: string, flags: string) => Promise<Handle>

/** The code of a file system error, since the error's message contains a path. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown'

/** The task's value, or a transient failure with the operation (`what`) and the file system's code. */
export const attempt = async <A>(what: string, task: () => Promise<A>): Promise<E.Either<Failure, A>> => {
  try {
    return E.right(await task())
  } catch (cause) {
    return E.left({ kind: 'transient', reason: `${what}: ${codeOf(cause)}` })
  }
}

/** Syncs a file or a folder. A file's name survives a power cut only after its folder has been synced. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder that only its owner can read, and the folders above it. Makes every new name durable. */
export const makeFolder = async (path: string, sync = syncPath): Promise<void> => {
  const folder = resolve(path)
  const first = makeFolders(folder)
  for (let made = folder; ; made = dirname(made)) {
    await sync(dirname(made))
    if (first === undefined || made === first) return
  }
}

const sticky = 0o1000

/** As `makeFolder`. Also makes an existing folder private, unless another user owns it or it is shared, as /tmp is. */
export const makePrivateFolder = async (path: string): Promise<void> => {
  await makeFolder(path)
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) !== 0 && (mode & sticky) === 0 && uid === process.getuid?.()) await chmod(path, 0o700)
}

/** Repeats `write`, which may write only a part of the bytes when the disk is nearly full. */
export const writeAll = async (handle: Handle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** Replaces a file atomically: after a crash it has the old content or the new content. */
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
