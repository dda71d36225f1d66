// Writes to the journal in the given directory, and prints each number when it is durable, until it is killed.
import { writeSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { openAt, recordOf } from './given.ts'

const [dir = '', from = '1'] = process.argv.slice(2)
const journal = await openAt(dir, { maxBytes: 2 ** 30, segmentBytes: 20_000 })
const writer = async (first: number, step: number) => {
  for (let id = first; ; id += step)
    if (E.isRight(await journal.append(recordOf(id, `acme/${first}`, id % 500)))) writeSync(1, `${id}\n`)
}
await Promise.all(Array.from({ length: 8 }, (_, i) => writer(Number(from) + i, 8)))
