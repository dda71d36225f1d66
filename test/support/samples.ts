import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Sample = { readonly name: string; readonly text: string; readonly value: unknown }

const root = fileURLToPath(new URL('../../contracts', import.meta.url))

/** The samples of an interface by name: accepted, refused, or those of events that the bridge does not know. */
export const samples = (api: 'webhooks' | 'bot-api', kind: 'accepted' | 'refused' | 'unknown'): ReadonlyArray<Sample> =>
  globSync(`${root}/${api}/samples/${kind === 'accepted' ? '' : `${kind}/`}*.json`)
    .sort()
    .map((file) => {
      const text = readFileSync(file, 'utf8')
      return { name: basename(file, '.json'), text, value: JSON.parse(text) }
    })

/** The text of one accepted sample. */
export const sample = (api: 'webhooks' | 'bot-api', name: string): string => {
  const found = samples(api, 'accepted').find((each) => each.name === name)
  if (found === undefined) throw new Error(`no sample ${api}/${name}`)
  return found.text
}
