import { connect } from 'node:net'
import type { BridgeProcess } from '../../../../support/bridge-process.ts'
import { eventually } from '../../../../support/eventually.ts'
import { createTopics } from '../../../../support/plain-consumer.ts'
import type { Bench } from '../../bench.ts'
import { type BridgeWorld, bridgeWorld, type More, stopBridge, webhooksUrl } from '../../bridge.ts'
import { startJava } from '../../peers/java.ts'
import type { KoaAsk, KoaGiven } from '../../peers/koa.ts'
import { javaPeer } from '../../peers/maven.ts'
import { startWorker } from '../../worker.ts'

export type Participant = {
  readonly who: string
  readonly urls: ReadonlyArray<string>
  readonly pids: ReadonlyArray<number>
  /** The topic that must have each request that was answered 200; undefined if nothing is published. */
  readonly topic?: string
  readonly stop: () => Promise<void>
}

const partitions = 6

type Kind = More & {
  readonly name?: string
  readonly checkout?: string
  readonly roles?: Parameters<BridgeWorld['start']>[0]
}

export const bridge = async (bench: Bench, who: string, instances: number, kind: Kind = {}): Promise<Participant> => {
  const { name = `ingest${instances}`, checkout, roles = ['ingress'], ...more } = kind
  const world = bridgeWorld(bench, { name, partitions, ...(checkout && { checkout }) })
  const processes: BridgeProcess[] = []
  for (let i = 0; i < instances; i++) processes.push(await world.start(roles, more))
  return {
    who,
    urls: processes.map(webhooksUrl),
    pids: processes.map(({ pid }) => pid),
    topic: `${world.prefix}chats`,
    stop: async () => {
      for (const each of processes) await stopBridge(each)
    },
  }
}

const inNode = async (bench: Bench, who: string, file: string, ask: KoaAsk): Promise<Participant> => {
  const { publishTo } = ask
  if (publishTo !== undefined)
    await createTopics(bench.brokers, [{ topic: publishTo.topic, numPartitions: partitions }])
  const worker = startWorker<KoaAsk, KoaGiven>(file)
  bench.afterwards(worker.stop)
  const { port } = await worker.ask(ask)
  const urls = [`http://127.0.0.1:${port}/hook`]
  return { who, urls, pids: [worker.pid], stop: worker.stop, ...(publishTo && { topic: publishTo.topic }) }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

export const camel = async (bench: Bench, port: number, topic = 'ingest-camel'): Promise<Participant> => {
  const classes = await javaPeer(bench.cacheDir, { name: 'camel', sources: ['CamelIngest.java'] }, bench.say)
  await createTopics(bench.brokers, [{ topic, numPartitions: partitions }])
  const args = ['-Xmx512m', '-cp', classes, 'CamelIngest', String(port), bench.brokers.join(','), topic]
  const { pid, stop, isOver } = startJava(bench, 'camel', args)
  await eventually('Camel to listen', async () => {
    if (isOver()) throw new Error('Camel ended while it started')
    return (await accepts(port)) || undefined
  })
  return { who: 'Camel', urls: [`http://127.0.0.1:${port}/hook`], pids: [pid], topic, stop }
}

/** The bridge and the alternatives that a user would choose, all running. */
export const startParticipants = async (bench: Bench, camelPort: number): Promise<ReadonlyArray<Participant>> => {
  const { brokers } = bench
  const { ingressProcesses, before } = bench.bridge
  return [
    await bridge(bench, 'bridge', ingressProcesses),
    await bridge(bench, 'bridge, one instance', 1),
    ...(before === undefined ? [] : [await bridge(bench, 'before', 1, { name: 'ingest-before', checkout: before })]),
    ...(bench.javaPeers ? [await camel(bench, camelPort)] : []),
    await inNode(bench, 'Koa, one send a request', 'peers/koa.ts', { publishTo: { brokers, topic: 'ingest-koa' } }),
    await inNode(bench, 'Koa and io-ts, no Kafka', 'peers/koa.ts', {}),
    await inNode(bench, 'node:http, no Kafka', 'peers/bare-http.ts', {}),
  ]
}
