/** Every bound of the HTTP side, in milliseconds and bytes. */
export type Limits = {
  readonly bodyBytes: number
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
  /** How often the two above are looked at. */
  readonly checkMs: number
  readonly keepAliveMs: number
  /** How long the rest of too large a body is read and thrown away, so that its sender hears the answer. */
  readonly drainMs: number
  /** How long `stop` goes on as ever, only not ready, so that callers are led elsewhere. */
  readonly leaveMs: number
  /** How long it then waits for the next request of each caller that is still connected. */
  readonly partMs: number
  /** How long it waits for requests in flight after that. */
  readonly graceMs: number
}

export const limits: Limits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
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
