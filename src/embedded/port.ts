import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Identity, identify, isRunning } from './identity.ts'

// Below the ports that systems lend to outgoing connections, so that a remembered one is seldom taken.
const lowest = 20_000
const highest = 32_000

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .on('error', () => resolve(false))
      .on('listening', () => server.close(() => resolve(true)))
    server.listen(port, '127.0.0.1')
  })

let next = randomInt(lowest, highest)

/**
 * A port of 127.0.0.1 that nobody uses now. A process gets one after the other from a place of its own, so that no port is given twice
 * before a server uses it.
 */
export const anyFree = async (except = 0): Promise<number> => {
  const port = next
  next = port + 1 < highest ? port + 1 : lowest
  return port !== except && (await isFree(port)) ? port : anyFree(except)
}

const holderOf = async (file: string): Promise<Identity | undefined> => {
  try {
    return E.getOrElseW(() => undefined)(Identity.decode(JSON.parse(await readFile(file, 'utf8'))))
  } catch {
    return undefined
  }
}

/**
 * Claims a port for this process until it exits. Between the check that a port is free and its use by a server lies a second;
 * without a claim, two bridges that start at the same moment would both choose a port that all prefer.
 */
const claimPort = async (port: number): Promise<boolean> => {
  const file = join(tmpdir(), `livechat-bridge-port-${port}.json`)
  const other = await holderOf(file)
  if (other?.pid === process.pid) return true
  if (other !== undefined && (await isRunning(other))) return false
  try {
    await rm(file, { force: true })
    const holder = (await identify(process.pid)) ?? { pid: process.pid, startedAt: '' }
    await writeFile(file, JSON.stringify(holder), { flag: 'wx' })
  } catch {
    return false
  }
  process.once('exit', () => rmSync(file, { force: true }))
  return true
}

type Wanted = {
  /** Taken whenever it is free. */
  readonly preferred?: number | undefined
  readonly except?: number
}

/**
 * The preferred port of 127.0.0.1 if it is free; else the one that `file` remembers; else any free one, which is remembered.
 */
export const choosePort = async (file: string, { preferred, except = 0 }: Wanted = {}): Promise<number> => {
  if (preferred !== undefined && (await isFree(preferred)) && (await claimPort(preferred))) return preferred
  const known = Number(await readFile(file, 'utf8').catch(() => ''))
  if (known >= lowest && known < highest && (await isFree(known))) return known
  const port = await anyFree(except)
  await writeFile(file, `${port}\n`)
  return port
}
