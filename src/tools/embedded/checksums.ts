import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const parse = (sums: string) =>
  new Map(
    sums
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [sum = '', name = ''] = line.split(/\s+\*?/)
        return [name, sum]
      }),
  )

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

/** The files of `dir` that differ from `sums` (the format of sha256sum), are missing or are not listed, by name. */
export const mismatches = async (dir: string, sums: string): Promise<ReadonlyArray<string>> => {
  const expected = parse(sums)
  const found = new Map<string, string>()
  for (const name of await readdir(dir)) found.set(name, await sha256(join(dir, name)))
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((name) => expected.get(name) !== found.get(name))
    .sort()
}
