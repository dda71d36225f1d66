import type { Chats } from './load/bodies.ts'

/** How much each job does; `rounds` is how often each figure is measured. */
export type Size = {
  /** Seconds of load for each participant before any measurement: the JVM needs them, all participants get them. */
  readonly warmUp: number
  readonly ingest: {
    readonly rounds: number
    readonly connections: ReadonlyArray<number>
    readonly seconds: number
    /** Of each load of webhooks. */
    readonly chats: Chats
    readonly rates: ReadonlyArray<number>
  }
  /** The bridge as `npm start` runs it. `settleSeconds` pass before an idle one is measured. */
  readonly npmStart: {
    readonly rounds: number
    readonly settleSeconds: number
    readonly connections: ReadonlyArray<number>
    readonly rates: ReadonlyArray<number>
    readonly seconds: number
    readonly backlog: { readonly events: number; readonly perChat: number }
  }
  /** From a webhook until its document can be read. */
  readonly wholeWay: {
    readonly rounds: number
    readonly connections: ReadonlyArray<number>
    readonly rates: ReadonlyArray<number>
    readonly seconds: number
    /** Events that are due within a second. */
    readonly burst: number
    readonly freshness: ReadonlyArray<{ readonly rate: number; readonly seconds: number }>
  }
  /** `seconds` is for each figure. */
  readonly tracing: {
    readonly rounds: number
    readonly seconds: number
    readonly rate: number
  }
  readonly projection: {
    readonly rounds: number
    /** Records before the measured ones. */
    readonly warm: number
    readonly events: number
    readonly chats: number
  }
  readonly egress: {
    readonly rounds: number
    readonly rate: number
    readonly seconds: number
    readonly chats: number
  }
  readonly archiver: {
    readonly rounds: number
    readonly rate: number
    readonly seconds: number
    /** This many at a time, each with `perChat` events. */
    readonly chats: number
    readonly perChat: number
  }
  readonly console: {
    readonly rounds: number
    readonly conversations: number
    /** Requests of each kind in a round. */
    readonly requests: number
    /** Views of each page in a browser, in a round. */
    readonly views: number
    /** Events of one more conversation. */
    readonly long: number
  }
  readonly start: { readonly rounds: number }
  /** About so many turns of clients. */
  readonly whatIf: { readonly turns: number }
  readonly rebuild: { readonly events: number; readonly chats: number }
  readonly growth: {
    readonly rounds: number
    /** Events in the store when the rates are measured. */
    readonly sizes: ReadonlyArray<number>
    /** Chats at a time. At the first and the last size the chats are in their middle, so that the work is the same. */
    readonly chats: number
    readonly perChat: number
    /** Numbers of chats; each store has `before` events when the rates are measured. */
    readonly chatSizes: ReadonlyArray<number>
    readonly before: number
    readonly measured: { readonly warm: number; readonly events: number }
    readonly warmSeconds: number
    readonly seconds: number
  }
  readonly messageToReply: {
    readonly rounds: number
    readonly rates: ReadonlyArray<number>
    readonly seconds: number
    /** This many at a time, each with `perChat` messages. */
    readonly chats: number
    readonly perChat: number
  }
}

export const full: Size = {
  warmUp: 25,
  ingest: {
    rounds: 4,
    connections: [1, 16, 64, 256],
    seconds: 3,
    chats: { chats: 500, perChat: 12 },
    rates: [1000, 2000, 4000],
  },
  npmStart: {
    rounds: 4,
    settleSeconds: 60,
    connections: [64],
    rates: [200, 1000],
    seconds: 10,
    backlog: { events: 333_000, perChat: 12 },
  },
  wholeWay: {
    rounds: 4,
    connections: [16, 64, 256],
    rates: [50, 1000],
    seconds: 6,
    burst: 20_000,
    freshness: [
      { rate: 1, seconds: 30 },
      { rate: 50, seconds: 8 },
      { rate: 500, seconds: 8 },
    ],
  },
  tracing: { rounds: 16, seconds: 3, rate: 1000 },
  projection: { rounds: 3, warm: 20_000, events: 100_000, chats: 20_000 },
  egress: { rounds: 4, rate: 300, seconds: 10, chats: 100 },
  archiver: { rounds: 4, rate: 1000, seconds: 20, chats: 1_000, perChat: 12 },
  console: { rounds: 3, conversations: 100_000, requests: 200, views: 20, long: 5_000 },
  start: { rounds: 4 },
  whatIf: { turns: 10_000 },
  rebuild: { events: 1_000_000, chats: 20_000 },
  growth: {
    rounds: 3,
    sizes: [10_000, 100_000, 1_000_000],
    chats: 10_000,
    perChat: 12,
    chatSizes: [1_000, 10_000, 100_000],
    before: 0,
    measured: { warm: 10_000, events: 20_000 },
    warmSeconds: 4,
    seconds: 4,
  },
  messageToReply: { rounds: 4, rates: [50, 200, 500], seconds: 6, chats: 200, perChat: 6 },
}

export const short: Size = {
  warmUp: 0.5,
  ingest: { rounds: 1, connections: [1, 16], seconds: 0.5, chats: { chats: 50, perChat: 4 }, rates: [200] },
  npmStart: {
    rounds: 1,
    settleSeconds: 1,
    connections: [4],
    rates: [50],
    seconds: 1,
    backlog: { events: 1_200, perChat: 12 },
  },
  wholeWay: {
    rounds: 1,
    connections: [4],
    rates: [50],
    seconds: 0.5,
    burst: 200,
    freshness: [{ rate: 50, seconds: 0.5 }],
  },
  tracing: { rounds: 1, seconds: 0.5, rate: 100 },
  projection: { rounds: 1, warm: 200, events: 1_000, chats: 200 },
  egress: { rounds: 1, rate: 50, seconds: 1, chats: 10 },
  archiver: { rounds: 1, rate: 200, seconds: 1, chats: 20, perChat: 4 },
  console: { rounds: 1, conversations: 300, requests: 3, views: 2, long: 600 },
  start: { rounds: 1 },
  whatIf: { turns: 100 },
  rebuild: { events: 1_000, chats: 100 },
  growth: {
    rounds: 1,
    sizes: [300],
    chats: 50,
    perChat: 4,
    chatSizes: [10],
    before: 0,
    measured: { warm: 100, events: 200 },
    warmSeconds: 0.2,
    seconds: 0.3,
  },
  messageToReply: { rounds: 1, rates: [50], seconds: 1, chats: 20, perChat: 2 },
}

/** The same sizes with another number of rounds in every job. */
export const withRounds = (size: Size, rounds: number): Size => ({
  ...size,
  ingest: { ...size.ingest, rounds },
  npmStart: { ...size.npmStart, rounds },
  wholeWay: { ...size.wholeWay, rounds },
  tracing: { ...size.tracing, rounds },
  projection: { ...size.projection, rounds },
  egress: { ...size.egress, rounds },
  archiver: { ...size.archiver, rounds },
  console: { ...size.console, rounds },
  start: { rounds },
  growth: { ...size.growth, rounds },
  messageToReply: { ...size.messageToReply, rounds },
})
