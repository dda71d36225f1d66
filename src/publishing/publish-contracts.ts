import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedFiles } from './files.ts'
import { readContracts, readSamples } from './read-contracts.ts'

const folder = fileURLToPath(new URL('../../contracts/published', import.meta.url))

const samples = { webhooks: readSamples('webhooks'), bot: readSamples('bot-api') }
const files = publishedFiles(await readContracts(), samples)
rmSync(folder, { recursive: true, force: true })
for (const [path, text] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
console.log(`${files.size} files in contracts/published`)
