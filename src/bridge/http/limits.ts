import type { Shares } from '../shared/semaphore.ts'

/** Every limit of the HTTP side, in milliseconds and bytes. */
export type Limits = {
  /** The body of a request with an account's token. */
  readonly bodyBytes: number
  /** The body of a request for an access token. Anybody can send one. */
  readonly tokenBodyBytes: number
  /** All bodies of accounts that this process holds at the same time. */
  readonly allBodiesBytes: number
  /** The same for requests for access tokens. So strangers cannot use up the memory of accounts. */
  readonly allTokenBodiesBytes: number
  readonly headerBytes: number
  readonly connections: number
  /** Interface A: from the complete body until its event is durable. */
  readonly webhooksMs: number
  /** Interface B: from the request's arrival until the answer. The service waits 3 s. */
  readonly botMs: number
  readonly enrichmentMs: number
  /** A bot's request for a history: how long it waits for an event to be in the views, and for the answer in all. */
  readonly historyWaitMs: number
  readonly historyMs: number
  /** How many histories are read from MongoDB at the same time, in all and of one account. The others wait. */
  readonly historiesAtOnce: Shares
  readonly healthMs: number
  readonly headersMs: number
  readonly requestMs: number
  /** How often `headersMs` and `requestMs` are checked. */
  readonly checkMs: number
  /** How long a connection may be idle after a request. */
  readonly keepAliveMs: number
  /** The same if a request of the connection was admitted. */
  readonly admittedKeepAliveMs: number
  /** How long the rest of too large a body is read and dropped, so that its sender receives the answer. */
  readonly drainMs: number
  /** How long `stop` only reports that the server is not ready, so that load balancers choose another instance. */
  readonly leaveMs: number
  /** How long `stop` then waits for the next request of each connection. The answer closes the connection. */
  readonly closeOnNextResponseMs: number
  /** How long `stop` then waits for requests in flight. */
  readonly graceMs: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export const limits: Limits = {
  bodyBytes: 8 * mebibyte,
  tokenBodyBytes: 8 * kibibyte,
  allBodiesBytes: 48 * mebibyte,
  allTokenBodiesBytes: 16 * mebibyte,
  headerBytes: 8 * kibibyte,
  connections: 10_000,
  webhooksMs: 5_000,
  botMs: 2_500,
  enrichmentMs: 500,
  historyWaitMs: 1_000,
  historyMs: 3_000,
  historiesAtOnce: { inAll: 8, ofOne: 6 },
  healthMs: 2_000,
  headersMs: 5_000,
  requestMs: 10_000,
  checkMs: 500,
  keepAliveMs: 65_000,
  admittedKeepAliveMs: 620_000,
  drainMs: 1_000,
  leaveMs: 1_500,
  closeOnNextResponseMs: 1_500,
  graceMs: 6_000,
}
