import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { eventTopicNames, quarantine, type TopicName } from '../../../contracts/topics.ts'
import type { Failure } from '../domain/log/record.ts'
import { attempt, codeOf, makeFolder } from './files.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import { isSegment } from './segment.ts'

/** A folder that cannot be opened, and why. It may hold events that ingress answered with 200. */
export type Unusable = { readonly dir: string; readonly reason: string }

/** A folder of journals whose process has ended. */
export type Orphan = {
  readonly dir: string
  readonly journals: ReadonlyArray<Journal>
  /** Closes the journals and unlocks the folder. */
  readonly close: () => Promise<void>
}

/** The result of a search through the other folders. */
export type Found = { readonly orphans: ReadonlyArray<Orphan>; readonly unusable: ReadonlyArray<Unusable> }

export type Journals = {
  /** One journal for each topic. They share one size limit. */
  readonly own: ReadonlyMap<TopicName, Journal>
  /** Opens the journals that have segments and that no process has locked. */
  readonly adopt: () => Promise<Found>
  /** Unlocks the folder. The caller closes the topics' journals before. */
  readonly close: () => Promise<void>
}

/** The topics that ingress writes. */
const written: ReadonlyArray<TopicName> = [...eventTopicNames, quarantine.name]

const processesOnOneMachine = 64

const busy = 5

const takeLock = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/**
 * Locks the folder until the returned function is called or the process ends in any way.
 * Node has no file locks. SQLite uses locks of the operating system: a SIGKILL releases them, and a reused pid cannot
 * keep them. Left: transient if another process has the lock, permanent if the file cannot be used.
 */
const lockFolder = async (dir: string): Promise<E.Either<Failure, () => void>> => {
  const made = await attempt('the folder cannot be made', () => makeFolder(dir))
  if (E.isLeft(made)) return E.left({ kind: 'permanent', reason: made.left.reason })
  try {
    const database = takeLock(join(dir, 'lock'))
    return E.right(() => database.close())
  } catch (cause) {
    const { errcode, errstr } = { errcode: undefined, errstr: 'unknown', ...(cause as object) }
    return errcode === busy
      ? E.left({ kind: 'transient', reason: 'another process uses the journal' })
      : E.left({ kind: 'permanent', reason: `the file lock cannot be used: ${errstr}` })
  }
}

const list = (dir: string) =>
  readdir(dir, { withFileTypes: true }).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return []
    throw cause
  })

/** The names of the folders with segments: topics. */
const withSegments = async (dir: string): Promise<ReadonlyArray<string>> => {
  const found: string[] = []
  for (const entry of await list(dir))
    if (entry.isDirectory() && (await list(join(dir, entry.name))).some((file) => isSegment(file.name)))
      found.push(entry.name)
  return found
}

/** All journals, or the first one that cannot be opened. */
const openAll = async <Name extends string>(
  dir: string,
  names: ReadonlyArray<Name>,
  options: JournalOptions,
): Promise<E.Either<Unusable, ReadonlyMap<Name, Journal>>> => {
  const journals = new Map<Name, Journal>()
  for (const name of names) {
    const opened = await openJournal({ ...options, dir: join(dir, name) })
    if (E.isLeft(opened)) return E.left({ dir: join(dir, name), reason: opened.left.reason })
    journals.set(name, opened.right)
  }
  return E.right(journals)
}

/** Locks the first free folder. Folders with records come before empty ones, so that a restart keeps their order. */
const lockFirst = async (root: string): Promise<E.Either<Unusable, { dir: string; unlock: () => void }>> => {
  const all = Array.from({ length: processesOnOneMachine }, (_, i) => join(root, String(i + 1)))
  const used: string[] = []
  for (const dir of all) {
    const names = await attempt('it cannot be read', () => withSegments(dir))
    if (E.isLeft(names)) return E.left({ dir, reason: names.left.reason })
    if (names.right.length > 0) used.push(dir)
  }
  for (const dir of [...used, ...all]) {
    const lock = await lockFolder(dir)
    if (E.isRight(lock)) return E.right({ dir, unlock: lock.right })
    if (lock.left.kind === 'permanent') return E.left({ dir, reason: lock.left.reason })
  }
  return E.left({ dir: root, reason: `${processesOnOneMachine} processes use it` })
}

/** Opens the other folders that have segments. It skips only a folder that a running process has locked. */
const adoptOthers = async (root: string, own: string, options: JournalOptions): Promise<Found> => {
  const orphans: Orphan[] = []
  const unusable: Unusable[] = []
  const adopt = async (dir: string): Promise<E.Either<Failure, void>> => {
    const names = await attempt('it cannot be read', () => withSegments(dir))
    if (E.isLeft(names) || names.right.length === 0) return E.map(() => undefined)(names)
    const lock = await lockFolder(dir)
    if (E.isLeft(lock)) return lock.left.kind === 'permanent' ? lock : E.right(undefined)
    const opened = await openAll(dir, names.right, options)
    if (E.isLeft(opened)) {
      lock.right()
      return E.left({ kind: 'permanent', reason: opened.left.reason })
    }
    const journals = [...opened.right.values()]
    const close = () => Promise.all(journals.map((journal) => journal.close())).then(lock.right)
    orphans.push({ dir, journals, close })
    return E.right(undefined)
  }
  for (let i = 1; i <= processesOnOneMachine; i++) {
    const dir = join(root, String(i))
    const adopted = dir === own ? E.right(undefined) : await adopt(dir)
    if (E.isLeft(adopted)) unusable.push({ dir, reason: adopted.left.reason })
  }
  return { orphans, unusable }
}

const openOwn = async (dir: string, options: JournalOptions): Promise<E.Either<Unusable, Journals['own']>> => {
  let own: Journals['own'] = new Map()
  const used = () => [...own.values()].reduce((sum, journal) => sum + journal.size(), 0)
  const hasRoom = (bytes: number) => used() + bytes <= options.maxBytes
  const opened = await openAll(dir, written, { ...options, hasRoom })
  if (E.isRight(opened)) own = opened.right
  return opened
}

/** Opens this process's folder below `dir` (`1`, `2`, …), with a journal for each topic. Left: one cannot be opened. */
export const openJournals = async (options: JournalOptions): Promise<E.Either<Unusable, Journals>> => {
  const root = resolve(options.dir)
  const locked = await lockFirst(root)
  if (E.isLeft(locked)) return locked
  const { dir, unlock } = locked.right
  const opened = await openOwn(dir, options)
  if (E.isLeft(opened)) {
    unlock()
    return opened
  }
  return E.right({
    own: opened.right,
    adopt: () => adoptOthers(root, dir, options),
    close: async () => unlock(),
  })
}
