import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from './schema.ts'

export type Samples = Readonly<Record<string, Json>>

const folder = (api: string) => fileURLToPath(new URL(`../../contracts/${api}/samples/`, import.meta.url))

/** The plain sample of each event of an interface, by the event's name on the wire. */
export const readSamples = (api: 'webhooks' | 'bot-api'): Samples =>
  Object.fromEntries(
    globSync('*.json', { cwd: folder(api) })
      .filter((file) => /^\w+\.json$/.test(file))
      .sort()
      .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(folder(api), file), 'utf8')) as Json]),
  )
