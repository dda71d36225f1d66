import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedFiles } from '../../../src/tools/publishing/files.ts'
import { readContracts } from '../../../src/tools/publishing/read-contracts.ts'

export const folder = fileURLToPath(new URL('../../../contracts/published', import.meta.url))

/** The files as they are checked in, by their paths. */
export const checkedIn: Readonly<Record<string, string>> = Object.fromEntries(
  globSync('**/*.{json,yaml,md}', { cwd: folder })
    .sort()
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
)

export const partOf = await readContracts()

/** The files that the contracts generate now. */
export const generated = publishedFiles(partOf)
