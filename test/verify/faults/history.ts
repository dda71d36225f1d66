/** One request as its sender saw it; times are milliseconds of the recorder's monotonic clock. */
export type Exchange = {
  /** The unit of ordering: `<topic> <key>`. */
  readonly chat: string
  /** The number of the event in its chat, from 1. A request that is sent again has the same number. */
  readonly seq: number
  readonly sentAt: number
  readonly endedAt: number
  /** Missing if there was no response. */
  readonly status?: number
  readonly retryAfter?: string
  /** Why there was no response. */
  readonly error?: string
}

/** The parts of a record that the checker needs; `seq` is undefined for a record that the recorder did not cause. */
export type LogRecord = {
  readonly chat: string
  readonly seq: number | undefined
  readonly partition: number
  readonly offset: number
  /** The event's identity: `ce_source` and `ce_id`. */
  readonly id: string
}

export type Documents = Readonly<Record<string, unknown>>
