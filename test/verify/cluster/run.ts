import { parseArgs } from 'node:util'
import { judged } from '../faults/judged.ts'
import type { Size } from '../faults/scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { startThree } from './three.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    controls: { type: 'string', default: 'yes' },
  },
})
const size: Size = values.short ? 'short' : 'long'
const chosen = scenarios.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
const began = performance.now()
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)

const cluster = await startThree()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await cluster.stop()
    process.exit(1)
  })
say('three brokers and a replica set of three are up')

const { keep, control, end } = judged(chosen, size, say)
if (values.controls !== 'only') await keep(cluster)
if (values.controls !== 'no') await control(cluster)
await cluster.stop()

process.exit(end() ? 0 : 1)
