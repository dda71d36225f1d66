import type { Role } from '../../../src/bridge/domain/roles.ts'
import type { Size } from './size.ts'

/** The input of a job: the bench's own servers, sizes, and a way to report progress. */
export type Bench = {
  readonly brokers: ReadonlyArray<string>
  readonly mongoUrl: (database: string) => string
  /** The processes of mongod and the broker, for their CPU time. */
  readonly serverPids: () => { readonly kafka: number; readonly mongod: number }
  /** Removed afterwards. */
  readonly dataDir: string
  readonly cacheDir: string
  readonly size: Size
  /** Without it, peers that Maven has to fetch are left out. */
  readonly javaPeers: boolean
  readonly bridge: BridgeChoice
  readonly say: (line: string) => void
  /** Registers a function that runs at the end, also after a failure. */
  readonly afterwards: (leave: () => Promise<void>) => void
}

/** How the measured bridge is run. */
export type BridgeChoice = {
  readonly ingressProcesses: number
  /** Node's arguments for each process with the role ingress. */
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

/** A figure over time: seconds since the beginning, and the value at that time. */
export type Series = {
  readonly who: string
  readonly metric: string
  readonly unit: string
  readonly points: ReadonlyArray<readonly [number, number]>
}

/** A precondition of meaningful figures: nothing lost, nothing refused. */
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
