import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { exactShape } from '../../contracts/primitives.ts'
import type { Failure } from '../bridge/domain/log/record.ts'
import { attempt, makePrivateFolder } from '../bridge/journal/files.ts'

/** The addresses of a running bridge and its embedded servers, for other commands with the same DATA_DIR. */
const Running = exactShape(
  { pid: t.number, roles: t.readonlyArray(t.string) },
  { url: t.string, adminUrl: t.string, brokers: t.readonlyArray(t.string), mongoUrl: t.string },
  'Running',
)
export type Running = t.TypeOf<typeof Running>

const folderIn = (dataDir: string) => join(dataDir, 'running')
const fileOf = (dataDir: string, pid: number) => join(folderIn(dataDir), `${pid}.json`)

/** Each process has a record of its own: others with the same DATA_DIR may run, start and end at the same moment. */
export const recordRunning = (dataDir: string, running: Running): Promise<E.Either<Failure, void>> =>
  attempt('the addresses of this process cannot be recorded in DATA_DIR', async () => {
    await makePrivateFolder(folderIn(dataDir))
    for (const { pid } of recorded(dataDir)) if (!alive(pid)) forget(dataDir, pid)
    const file = fileOf(dataDir, running.pid)
    const own = `${file}.${randomUUID()}`
    await writeFile(own, JSON.stringify(running), { mode: 0o600 })
    await rename(own, file)
  })

const read = (file: string): ReadonlyArray<readonly [since: number, running: Running]> => {
  try {
    const running = Running.decode(JSON.parse(readFileSync(file, 'utf8')))
    return E.isRight(running) ? [[statSync(file).mtimeMs, running.right]] : []
  } catch {
    return []
  }
}

/** The newest first: the system may have given the id of a process that was killed to another program. */
const recorded = (dataDir: string): ReadonlyArray<Running> => {
  try {
    const names = readdirSync(folderIn(dataDir)).filter((name) => name.endsWith('.json'))
    const found = names.flatMap((name) => read(join(folderIn(dataDir), name)))
    return found.sort(([a], [b]) => b - a).map(([, running]) => running)
  } catch {
    return []
  }
}

const forget = (dataDir: string, pid: number): void => {
  try {
    rmSync(fileOf(dataDir, pid), { force: true })
  } catch {
    // A disk that is read-only by now must not prevent an orderly end. Nobody uses the record of a process that has ended.
  }
}

export const forgetRunning = (dataDir: string): void => forget(dataDir, process.pid)

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A process that runs with this DATA_DIR, and is as it is wanted. */
export const findRunning = (
  dataDir: string,
  isWanted: (running: Running) => boolean = () => true,
): Running | undefined => recorded(dataDir).find((running) => alive(running.pid) && isWanted(running))

/** Makes DATA_DIR private, because it holds tokens, events and databases. Left: what the operator must do. */
export const closedDataDir = async (dataDir: string): Promise<E.Either<string, void>> =>
  E.mapLeft(({ reason }: Failure) => `${reason}. Set DATA_DIR to a folder that this user may write.`)(
    await attempt(`DATA_DIR ${dataDir} cannot be made or closed to other users`, () => makePrivateFolder(dataDir)),
  )
