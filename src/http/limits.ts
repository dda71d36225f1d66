/** Every bound of the HTTP side, in milliseconds and bytes. */
export type Limits = {
  /** The body of a request that bears an account's token. */
  readonly bodyBytes: number
  /** The body of a request for an access token, which anybody can send. */
  readonly tokenBodyBytes: number
  /** All bodies of accounts that this process holds at a time. */
  readonly allBodiesBytes: number
  /** The same for requests for access tokens, so that strangers cannot use up what accounts need. */
  readonly allTokenBodiesBytes: number
  readonly headerBytes: number
  readonly connections: number
  /** Interface A, from the whole body on until its event is durable. */
  readonly webhooksMs: number
  /** Interface B, from the request's arrival on, everything included (protocol, Limits: the service waits 3 s). */
  readonly botMs: number
  readonly enrichmentMs: number
  readonly healthMs: number
  readonly headersMs: number
  readonly requestMs: number
  /** How often the two above are checked. */
  readonly checkMs: number
  readonly keepAliveMs: number
  /** How long the rest of too large a body is read and dropped, so that its sender receives the answer. */
  readonly drainMs: number
  /** How long `stop` only reports that it is not ready, so that load balancers choose another instance. */
  readonly leaveMs: number
  /** How long it then waits for the next request of each connection, whose answer closes it. */
  readonly partMs: number
  /** How long it waits for requests in flight after that. */
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
  healthMs: 2_000,
  headersMs: 5_000,
  requestMs: 10_000,
  checkMs: 500,
  keepAliveMs: 65_000,
  drainMs: 1_000,
  leaveMs: 1_500,
  partMs: 1_500,
  graceMs: 6_000,
}
