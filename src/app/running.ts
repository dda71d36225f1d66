import { readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a running bridge and its embedded servers are, for the other commands of the same DATA_DIR. */
export type Running = {
  readonly pid: number
  readonly url?: string
  readonly brokers?: ReadonlyArray<string>
  readonly mongoUrl?: string
}

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

export const tellRunning = async (dataDir: string, running: Running): Promise<void> => {
  const file = fileIn(dataDir)
  await writeFile(`${file}.new`, JSON.stringify(running), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

export const forgetRunning = (dataDir: string): void => rmSync(fileIn(dataDir), { force: true })

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const findRunning = (dataDir: string): Running | undefined => {
  try {
    const running: Running = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))
    return alive(running.pid) ? running : undefined
  } catch {
    return undefined
  }
}
