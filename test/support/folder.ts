import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let root: string | undefined

const makeRoot = () => {
  const made = mkdtempSync(join(tmpdir(), 'livechat-test-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A folder that is deleted when this process ends. */
export const temporaryFolder = (): string => {
  root ??= makeRoot()
  return mkdtempSync(join(root, 'f-'))
}
