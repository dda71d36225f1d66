import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder, makePrivateFolder, type OpenFile } from '../../../src/bridge/journal/files.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { append, drainAll, idOf, openAt, recordOf } from './given.ts'

const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => recordOf(from + i))

/** A disk that counts its calls, and knows how much of each file has been synced. */
const countingDisk = () => {
  const counts = { writes: 0, syncs: 0 }
  const synced = new Map<string, number>()
  const openFile: OpenFile = async (path, flags) => {
    const handle = await open(path, flags)
    return {
      write: async (...args: unknown[]) => {
        counts.writes += 1
        const [bytes, offset, length, position] = args as [Buffer, number, number, number]
        return handle.write(bytes, offset, length, position)
      },
      datasync: async () => {
        counts.syncs += 1
        const { size } = statSync(path)
        await handle.datasync()
        synced.set(basename(path), size)
      },
      truncate: (length) => handle.truncate(length),
      close: () => handle.close(),
    } as Awaited<ReturnType<OpenFile>>
  }
  /** A copy of the directory after a power cut: bytes that were not synced are missing. */
  const cutPower = (dir: string) => {
    const copy = temporaryFolder()
    cpSync(dir, copy, { recursive: true })
    for (const name of readdirSync(copy).filter((file) => file.endsWith('.segment')))
      truncateSync(join(copy, name), synced.get(name) ?? 0)
    return copy
  }
  return { counts, openFile, cutPower }
}

const sync = suite('journal: durability')

sync('records that wait together are written together, with one sync', async () => {
  const { counts, openFile } = countingDisk()
  const journal = await openAt(temporaryFolder(), { openFile })
  await append(journal, many(1, 64))
  assert.equal(counts, { writes: 2, syncs: 1 })
  await journal.close()
})

sync('acknowledged records are there after a power cut', async () => {
  const { openFile, cutPower } = countingDisk()
  const dir = temporaryFolder()
  const journal = await openAt(dir, { openFile, segmentBytes: 500 })
  for (let id = 1; id <= 20; id++) {
    const later = journal.append(recordOf(id + 100))
    await append(journal, [recordOf(id)])
    const after = await openAt(cutPower(dir))
    const there = (await drainAll(after, 100)).map(idOf)
    await after.close()
    assert.equal(
      many(1, id)
        .map(idOf)
        .filter((each) => !there.includes(each)),
      [],
    )
    await later
  }
  await journal.close()
})

sync('every new folder is private, and its name is made durable in the folder above it', async () => {
  const root = temporaryFolder()
  const synced: string[] = []
  const note = async (path: string) => void synced.push(path)
  await makeFolder(join(root, 'data', 'journal', '1'), note)
  assert.equal(synced, [join(root, 'data', 'journal'), join(root, 'data'), root])
  for (const folder of ['data', 'data/journal', 'data/journal/1'])
    assert.is(statSync(join(root, folder)).mode & 0o777, 0o700)
})

sync('a folder that other users could read becomes private', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder, { mode: 0o755 })
  await makePrivateFolder(folder)
  assert.is(statSync(folder).mode & 0o777, 0o700)
})

sync('a folder that all users share stays unchanged', async () => {
  const folder = join(temporaryFolder(), 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o1777)
  await makePrivateFolder(folder)
  assert.is(statSync(folder).mode & 0o7777, 0o1777)
})

sync.run()
