import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedFiles, sampleFiles } from './files.ts'
import { readContracts } from './read-contracts.ts'

const contracts = fileURLToPath(new URL('../../../contracts', import.meta.url))
const folder = join(contracts, 'published')

const files = publishedFiles(await readContracts())
rmSync(folder, { recursive: true, force: true })
for (const [path, text] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
for (const [path, text] of sampleFiles) writeFileSync(join(contracts, path), text)
console.log(`${files.size} files in contracts/published`)
