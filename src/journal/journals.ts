import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { eventTopics, quarantine, type TopicName, topics } from '../../contracts/topics.ts'
import type { Failure } from '../domain/ports.ts'
import { attempt, codeOf } from './files.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import { lockFolder } from './lock.ts'
import { isSegment } from './segment.ts'

/** A folder that cannot be opened, and why. It may hold events that ingress answered with 200. */
export type Unusable = { readonly dir: string; readonly reason: string }

/** A folder of journals whose process has ended. `older` is drained before `journals`. */
export type Orphan = {
  readonly dir: string
  readonly older?: Journal
  readonly journals: ReadonlyArray<Journal>
  /** Closes the journals and unlocks the folder. */
  readonly close: () => Promise<void>
}

/** The result of a search through the other folders. */
export type Found = { readonly orphans: ReadonlyArray<Orphan>; readonly unusable: ReadonlyArray<Unusable> }

export type Journals = {
  /** One journal for each topic. They share one size limit. */
  readonly own: ReadonlyMap<TopicName, Journal>
  /** The journal in the process's folder itself. Its records, of older versions, are now in the topics' journals. */
  readonly older: Journal
  /** Opens the journals that have segments and that no process has locked. */
  readonly adopt: () => Promise<Found>
  /** Unlocks the folder. The caller closes the topics' journals before. */
  readonly close: () => Promise<void>
}

/** The topics that ingress writes. Another one has a journal only if an earlier version has left records for it. */
const written: ReadonlySet<TopicName> = new Set([...eventTopics, quarantine].map(({ name }) => name))

const processesOnOneMachine = 64
const moveAtOnce = 512

const list = (dir: string) =>
  readdir(dir, { withFileTypes: true }).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return []
    throw cause
  })

/** The names of the folders with segments: topics, and an empty string for the process's folder itself. */
const withSegments = async (dir: string): Promise<ReadonlyArray<string>> => {
  const entries = await list(dir)
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'damaged').map(({ name }) => name)
  const found: string[] = []
  for (const name of ['', ...names])
    if ((await list(join(dir, name))).some((file) => isSegment(file.name))) found.push(name)
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

/** Moves the records of an older version to the journals of their topics, before any newer record gets there. */
const move = async (older: Journal, own: ReadonlyMap<TopicName, Journal>): Promise<E.Either<Failure, void>> => {
  for (;;) {
    const entries = await older.peek(moveAtOnce)
    if (E.isLeft(entries)) return entries
    const last = entries.right.at(-1)
    if (last === undefined) return E.right(undefined)
    const outcomes = await Promise.all(entries.right.map(({ record }) => own.get(record.topic)?.append(record)))
    const failed = outcomes.find((outcome) => outcome !== undefined && E.isLeft(outcome))
    if (failed !== undefined) return failed
    const drained = await older.drained(last.position)
    if (E.isLeft(drained)) return drained
  }
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
  const look = async (dir: string): Promise<E.Either<Failure, void>> => {
    const names = await attempt('it cannot be read', () => withSegments(dir))
    if (E.isLeft(names) || names.right.length === 0) return E.map(() => undefined)(names)
    const lock = await lockFolder(dir)
    if (E.isLeft(lock)) return lock.left.kind === 'permanent' ? lock : E.right(undefined)
    const opened = await openAll(dir, names.right, options)
    if (E.isLeft(opened)) {
      lock.right()
      return E.left({ kind: 'permanent', reason: opened.left.reason })
    }
    const all = [...opened.right.values()]
    const older = opened.right.get('')
    const journals = all.filter((journal) => journal !== older)
    const close = () => Promise.all(all.map((journal) => journal.close())).then(lock.right)
    orphans.push({ dir, journals, ...(older !== undefined && { older }), close })
    return E.right(undefined)
  }
  for (let i = 1; i <= processesOnOneMachine; i++) {
    const dir = join(root, String(i))
    const looked = dir === own ? E.right(undefined) : await look(dir)
    if (E.isLeft(looked)) unusable.push({ dir, reason: looked.left.reason })
  }
  return { orphans, unusable }
}

const openOwn = async (
  dir: string,
  options: JournalOptions,
): Promise<E.Either<Unusable, Pick<Journals, 'own' | 'older'>>> => {
  const older = await openJournal({ ...options, dir })
  if (E.isLeft(older)) return E.left({ dir, reason: older.left.reason })
  let own: Journals['own'] = new Map()
  // Moved records are already on the disk. So the limit must not refuse them.
  let isMoving = true
  const used = () => [...own.values()].reduce((sum, journal) => sum + journal.size(), 0)
  const hasRoom = (bytes: number) => isMoving || used() + bytes <= options.maxBytes
  const found = await attempt('it cannot be read', () => withSegments(dir))
  if (E.isLeft(found)) return E.left({ dir, reason: found.left.reason })
  const names = topics.map(({ name }) => name).filter((name) => written.has(name) || found.right.includes(name))
  const opened = await openAll(dir, names, { ...options, hasRoom })
  if (E.isLeft(opened)) return opened
  own = opened.right
  const moved = await move(older.right, own)
  isMoving = false
  return E.isLeft(moved) ? E.left({ dir, reason: moved.left.reason }) : E.right({ own, older: older.right })
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
    ...opened.right,
    adopt: () => adoptOthers(root, dir, options),
    close: () => opened.right.older.close().then(unlock),
  })
}
