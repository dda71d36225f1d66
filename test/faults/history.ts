/** One request as its sender saw it; times are milliseconds of the recorder's monotonic clock. */
export type Exchange = {
  /** Whose order counts: `<topic> <key>`. */
  readonly chat: string
  /** The number of the event in its chat, from 1; a request that is sent again has the same. */
  readonly seq: number
  readonly sentAt: number
  readonly endedAt: number
  /** Missing where no answer came. */
  readonly status?: number
  readonly retryAfter?: string
  /** Why no answer came. */
  readonly error?: string
}

/** One record of the log, as far as the checker needs it; `seq` is undefined in a record that was not one of the recorder's. */
export type LogRecord = {
  readonly chat: string
  readonly seq: number | undefined
  readonly partition: number
  readonly offset: number
  /** The event's identity: `ce_source` and `ce_id`. */
  readonly id: string
}

export type Documents = Readonly<Record<string, unknown>>
