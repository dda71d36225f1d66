import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Identity, identify, isRunning } from './lease.ts'

// Below the ephemeral ports of outgoing connections, so that a remembered port is seldom in use.
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
 * A free port of 127.0.0.1. A process takes ports in ascending order from a random start, so that it gets no port twice
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
 * Claims a port for this process until it exits. A server uses a port about a second after the check that it is free.
 * Without a claim, two bridges that start at the same moment would choose the same preferred port.
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
  /** Used whenever it is free. */
  readonly preferred?: number | undefined
  readonly except?: number
}

/**
 * The preferred port of 127.0.0.1 if it is free. Otherwise the port in `file` if it is free. Otherwise any free port,
 * which is written to `file`.
 */
export const choosePort = async (file: string, { preferred, except = 0 }: Wanted = {}): Promise<number> => {
  if (preferred !== undefined && (await isFree(preferred)) && (await claimPort(preferred))) return preferred
  const known = Number(await readFile(file, 'utf8').catch(() => ''))
  if (known >= lowest && known < highest && (await isFree(known))) return known
  const port = await anyFree(except)
  await writeFile(file, `${port}\n`)
  return port
}
