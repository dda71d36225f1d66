import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export const isThereAlready = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

const made = (folder: string, mode: number): boolean => {
  try {
    mkdirSync(folder, { mode })
    return true
  } catch (error) {
    if (isThereAlready(error)) return false
    throw error
  }
}

/**
 * Makes a folder, and those above it that are missing. Only this user can read them, unless `mode` says otherwise.
 * Returns the first one that it made. Node's own `recursive` never ends below /proc and below a link to nothing: a folder there is missing although the
 * one above it cannot be made either.
 */
export const makeFolders = (path: string, mode = 0o700): string | undefined => {
  const folder = resolve(path)
  const missing: string[] = []
  for (let each = folder; !existsSync(each); each = dirname(each)) missing.unshift(each)
  const first = missing.filter((each) => made(each, mode))[0]
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('it is no folder'), { code: 'ENOTDIR' })
  return first
}
