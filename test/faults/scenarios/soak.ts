import type { BridgeProcess } from '../bridge-process.ts'
import { findingsOf, unless } from '../findings.ts'
import { wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { world } from '../world.ts'

type Sample = { readonly heap: number; readonly files: number }

const sample = async (bridge: BridgeProcess): Promise<Sample> => ({
  heap: (await bridge.metric('nodejs_heap_size_used_bytes')) ?? 0,
  files: (await bridge.metric('process_open_fds')) ?? 0,
})

/** The least of a quiet time: what is not garbage, and what is not just being used. */
const quiet = async (bridge: BridgeProcess): Promise<Sample> => {
  const samples: Sample[] = []
  for (let i = 0; i < 10; i++) {
    samples.push(await sample(bridge))
    await wait(500)
  }
  return { heap: Math.min(...samples.map(({ heap }) => heap)), files: Math.min(...samples.map(({ files }) => files)) }
}

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`

/** Some minutes under load with a fault now and then; what is held after a quiet while is the same at the end as at the start. */
export const soak: Scenario = {
  name: 'soak',
  promises: '15',
  fault: 'Produce swallowed, connections reset and half open, broker and mongod SIGSTOP, in turns',
  controls: ['sockets are destroyed with their producer'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { broker, mongod, proxy } = cluster
    const here = await world(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    const bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const load = posts.drive(streams({ workers: 8, messages: true }), { pauseMs: 20 })
    const faults: ReadonlyArray<readonly [() => unknown, number, () => unknown]> = [
      [() => proxy.swallow(0.5), 6_000, () => proxy.swallow(0)],
      [proxy.cut, 1_000, proxy.cut],
      [broker.freeze, 5_000, broker.thaw],
      [proxy.freeze, 5_000, proxy.thaw],
      [mongod.freeze, 5_000, mongod.thaw],
    ]
    let injected = 0
    const round = async () => {
      for (const [begin, ms, end] of size === 'long' ? faults : faults.slice(0, 1)) {
        begin()
        await wait(ms)
        end()
        injected++
        await wait(size === 'long' ? 5_000 : 1_000)
      }
    }
    await round()
    const first = await quiet(bridge)
    for (let i = 0; i < 3; i++) await round()
    const drained = await here.drained(bridge)
    const last = await quiet(bridge)
    posts.halt()
    await load
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected,
      failures: [
        ...unless(drained, 'the journal was not drained'),
        ...unless(last.files <= first.files + 5, `open files and sockets: ${first.files}, then ${last.files}`),
        ...unless(
          last.heap <= first.heap * 1.5 + 20 * 1024 ** 2,
          `heap: ${mebibytes(first.heap)}, then ${mebibytes(last.heap)}`,
        ),
      ],
      notes: [
        `heap ${mebibytes(first.heap)} after warm-up, ${mebibytes(last.heap)} at the end`,
        `open files and sockets ${first.files}, then ${last.files}`,
      ],
    })
  },
}
