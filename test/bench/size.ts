/** How much each job does. */
export type Size = {
  readonly rounds: number
  /** Seconds of load before anything is measured: the JVM needs more of them. */
  readonly warmUp: { readonly node: number; readonly jvm: number }
  readonly ingest: {
    readonly connections: ReadonlyArray<number>
    readonly seconds: number
    readonly chats: number
    readonly rates: ReadonlyArray<number>
  }
}

export const full: Size = {
  rounds: 4,
  warmUp: { node: 6, jvm: 25 },
  ingest: { connections: [1, 16, 64, 256], seconds: 4, chats: 500, rates: [1000, 2000, 4000] },
}

export const short: Size = {
  rounds: 1,
  warmUp: { node: 0.2, jvm: 1 },
  ingest: { connections: [1, 16], seconds: 0.5, chats: 50, rates: [200] },
}
