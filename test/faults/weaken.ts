// Preloaded into a bridge that is a negative control: its source is read with one defence taken out.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Defence, defences, weakened } from './defences.ts'

const edits = defences[process.env.FAULTS_WITHOUT as Defence]

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    const mine = edits.filter(({ file }) => url.endsWith(`/${file}`))
    if (mine.length === 0) return loaded
    return { ...loaded, source: weakened(readFileSync(fileURLToPath(url), 'utf8'), mine) }
  },
})
