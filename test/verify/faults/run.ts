import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from './cluster.ts'
import { judged } from './judged.ts'
import type { Size } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    controls: { type: 'string', default: 'yes' },
  },
})
const size: Size = values.short ? 'short' : 'long'
const chosen = scenarios.filter(({ name, inShort }) =>
  values.only.length > 0 ? values.only.includes(name) : size === 'long' || inShort,
)
const unknown = values.only.filter((only) => scenarios.every(({ name }) => name !== only))
if (unknown.length > 0) {
  console.error(`No such scenario: ${unknown.join(', ')}. There are ${scenarios.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}
const began = performance.now()
const seconds = () => ((performance.now() - began) / 1000).toFixed(0).padStart(5)
const say = (text: string) => console.log(`${seconds()} s  ${text}`)

const clusters: Cluster[] = []
const onCluster = async (work: (cluster: Cluster) => Promise<void>) => {
  const cluster = await startCluster()
  clusters.push(cluster)
  await work(cluster)
  await cluster.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await Promise.all(clusters.map(({ stop }) => stop()))
    process.exit(1)
  })

const { keep, control, end } = judged(chosen, size, say)
// Two clusters run in parallel: a fault in the servers of one does not affect the other.
await Promise.all([
  ...(values.controls === 'only' ? [] : [onCluster(keep)]),
  ...(values.controls === 'no' ? [] : [onCluster(control)]),
])

process.exit(end() ? 0 : 1)
