// Preloaded into a bridge: on SIGUSR2 it collects its garbage and writes down what is left.
import { renameSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Held } from './held.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const held = (): Held => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const names = Map.groupBy(process.getActiveResourcesInfo(), (name) => name)
  const resources = Object.fromEntries([...names].map(([name, all]) => [name, all.length]))
  return { heapBytes: heapUsed + external, resources }
}

const file = process.env.FAULTS_PROBE
if (file !== undefined)
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, JSON.stringify(held()))
    renameSync(`${file}.new`, file)
  })
