// Preloaded into every thread of a bridge: on SIGUSR2 all of them collect their garbage, and what is left is written down.
import { renameSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { type Held, sumOf } from './held.ts'

const answersWithinMs = 1_000
const ask = 'what is held'

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
const others = new BroadcastChannel('faults')
others.unref()

if (!isMainThread) {
  others.onmessage = ({ data }) => {
    if (data === ask) others.postMessage(held())
  }
} else if (file !== undefined)
  process.on('SIGUSR2', async () => {
    const all: Held[] = []
    others.onmessage = ({ data }) => all.push(data as Held)
    others.postMessage(ask)
    await wait(answersWithinMs)
    writeFileSync(`${file}.new`, JSON.stringify(sumOf([held(), ...all])))
    renameSync(`${file}.new`, file)
  })
