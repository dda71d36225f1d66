import type { Role } from '../../src/app/bridge.ts'
import type { Size } from './size.ts'

/** What a job is given: servers of the bench's own, sizes, and a way to tell how far it is. */
export type Bench = {
  readonly brokers: ReadonlyArray<string>
  readonly mongoUrl: (database: string) => string
  /** Where mongod and the broker run, for their CPU time. */
  readonly serverPids: () => { readonly kafka: number; readonly mongod: number }
  /** Removed afterwards. */
  readonly dataDir: string
  readonly cacheDir: string
  readonly size: Size
  /** Without them, peers that Maven has to fetch are left out. */
  readonly javaPeers: boolean
  readonly bridge: BridgeChoice
  readonly say: (line: string) => void
  /** Has this done at the end, whatever happens until then. */
  readonly afterwards: (leave: () => Promise<void>) => void
}

/** How the measured bridge is run. */
export type BridgeChoice = {
  readonly ingressProcesses: number
  /** Of each process with the role ingress; as many as it runs by itself where it is missing. */
  readonly startArgs: ReadonlyArray<string>
  /** Another checkout of the bridge, which takes part as `before`. */
  readonly before?: string
  /** A folder for the CPU profiles of these roles' processes. */
  readonly profile?: { readonly dir: string; readonly roles: ReadonlyArray<Role> }
}

/** One figure of one participant in one case, a value for each round. */
export type Measurement = {
  /** `64 connections`. */
  readonly case: string
  readonly who: string
  readonly metric: string
  readonly unit: string
  readonly values: ReadonlyArray<number>
}

/** A figure over time: seconds since the beginning, and the value then. */
export type Series = {
  readonly who: string
  readonly metric: string
  readonly unit: string
  readonly points: ReadonlyArray<readonly [number, number]>
}

/** What has to be right for the figures to mean anything: nothing lost, nothing refused. */
export type Check = { readonly what: string; readonly expected: number; readonly found: number }

export type Findings = {
  readonly measurements: ReadonlyArray<Measurement>
  readonly series?: ReadonlyArray<Series>
  readonly checks: ReadonlyArray<Check>
}

export type Job = {
  readonly name: string
  readonly what: string
  readonly run: (bench: Bench) => Promise<Findings>
}
