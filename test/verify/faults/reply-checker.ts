/** A reply that Kafka has acknowledged to bot logic; the list is in the order of sending. */
export type SentReply = {
  /** Default: `acme`. */
  readonly account?: string
  readonly chat: string
  readonly id: string
  readonly text: string
}
/** A reply as the service showed it to the client, in the order of showing; `at` in ms since 1970. */
export type ShownReply = SentReply & { readonly at: number }

/** When a worker was killed, and which commands were finished in the log by then. */
export type Kill = { readonly at: number; readonly finished: ReadonlySet<string> }

export type ReplyVerdict = {
  /** Sent, and never shown. */
  readonly missing: ReadonlyArray<string>
  /** First shown after a reply of the same chat that was sent later. */
  readonly inverted: ReadonlyArray<string>
  /** How many times a reply was shown again. */
  readonly repeated: number
  /** Repeats although the worker, or the log that it read, knew that the service had the reply. */
  readonly unexplained: ReadonlyArray<string>
  /** Texts that were shown under the id of another reply. */
  readonly renamed: ReadonlyArray<string>
  /** The longest time without any reply, in milliseconds. */
  readonly longestStall: number
}

/** The protocol's response timeout of 3 s, less what a request may take to arrive. */
const answerWithinMs = 2_000

const isKilledBetween = (one: ShownReply, other: ShownReply, { at }: Kill) => one.at <= at && other.at > at

/** The worker may repeat a reply if it had no response in time, or died before the log had the outcome. */
const isExplained = (one: ShownReply, other: ShownReply, kills: ReadonlyArray<Kill>): boolean => {
  const between = kills.filter((kill) => isKilledBetween(one, other, kill))
  return between.length === 0
    ? other.at - one.at >= answerWithinMs
    : between.every(({ finished }) => !finished.has(one.id))
}

const inversions = (sent: ReadonlyArray<SentReply>, firstPlace: ReadonlyMap<string, number>) =>
  [...Map.groupBy(sent, ({ chat }) => chat).values()].flatMap((replies) => {
    let earliestOfLater = Number.POSITIVE_INFINITY
    return replies
      .toReversed()
      .filter(({ id }) => {
        const place = firstPlace.get(id)
        const isInverted = place !== undefined && place > earliestOfLater
        earliestOfLater = Math.min(earliestOfLater, place ?? Number.POSITIVE_INFINITY)
        return isInverted
      })
      .map(({ id }) => id)
  })

/** Compares what bot logic has sent with what the service, outside of the bridge, has shown. */
export const checkReplies = (
  sent: ReadonlyArray<SentReply>,
  shown: ReadonlyArray<ShownReply>,
  kills: ReadonlyArray<Kill> = [],
): ReplyVerdict => {
  const byId = Map.groupBy(shown, ({ id }) => id)
  const firstPlace = new Map([...shown.entries()].reverse().map(([place, { id }]) => [id, place]))
  const textOf = new Map(sent.map(({ id, text }) => [id, text]))
  return {
    missing: sent.filter(({ id }) => !byId.has(id)).map(({ id }) => id),
    inverted: inversions(sent, firstPlace),
    repeated: shown.length - byId.size,
    unexplained: [...byId.values()].flatMap((times) =>
      times.slice(1).flatMap((other, i) => {
        const one = times[i]
        return one === undefined || isExplained(one, other, kills) ? [] : [other.id]
      }),
    ),
    renamed: shown.filter(({ id, text }) => textOf.get(id) !== text).map(({ text }) => text),
    longestStall: shown.reduce((longest, { at }, i) => Math.max(longest, at - (shown[i - 1]?.at ?? at)), 0),
  }
}
