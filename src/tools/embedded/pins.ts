import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

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
