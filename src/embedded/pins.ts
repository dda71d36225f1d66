import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const pinned = (name: string) => fileURLToPath(new URL(`../../docker/${name}`, import.meta.url))

/** The files that pin what is fetched: the only places that hold versions and checksums. */
export const pins = {
  pom: pinned('pom.xml'),
  jars: pinned('kafka-jars.sha256'),
  requirements: pinned('requirements.txt'),
}

/** A short name of a file's content, so that a download is repeated when its pins have changed. */
export const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 8)
