import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { guideTables, withTables } from './guide-tables.ts'

const folder = fileURLToPath(new URL('../../../contracts/guides/', import.meta.url))

for (const guide of new Set(guideTables.map((each) => each.guide)))
  writeFileSync(`${folder}${guide}`, withTables(guide, readFileSync(`${folder}${guide}`, 'utf8')))
