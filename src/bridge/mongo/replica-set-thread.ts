import { parentPort, workerData } from 'node:worker_threads'
import { initiateReplicaSet } from './replica-set.ts'

/** What the thread is to do. */
export type Initiate = { readonly host: string; readonly name: string; readonly withinMs: number }

const { host, name, withinMs } = workerData as Initiate
parentPort?.postMessage(await initiateReplicaSet(host, name, withinMs))
