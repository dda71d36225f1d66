import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

const pinned = (name: string) => fileURLToPath(new URL(`../../../docker/${name}`, import.meta.url))

/** The files with the pinned versions and checksums of downloads. No other place has them. */
export const pins = {
  pom: pinned('pom.xml'),
  jars: pinned('kafka-jars.sha256'),
  requirements: pinned('requirements.txt'),
}

/** A short hash of a file's content. A download directory has it in its name, so changed pins cause a new download. */
export const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 8)
