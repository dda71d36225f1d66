/**
 * The chats of an account that the service refuses while it takes others, as a value. A failure counts against its chat
 * once the service has taken a later attempt of another chat. After three such failures in a row the chat has the slower
 * lane: its attempts come after those of all other chats, one a second while they fail. It leaves the lane with its first
 * answer. An outage of the whole service says nothing about single chats, so afterwards nobody is in the lane. Times are
 * milliseconds of a monotonic clock.
 */
export type RefusedChats = {
  readonly failed: ReadonlyMap<string, FailedChat>
  readonly taken: Taken
  /** When the slower lane may try next. */
  readonly nextAt: number
}

/** A chat whose newest attempt failed. */
type FailedChat = {
  readonly newest: number
  /** How many failures before that one count against the chat. */
  readonly refusals: number
  /** What the service or the network said: a status or an error code. */
  readonly answer: string
}

/** The newest attempt that the service took, and the access token that it was sent with (attempt.ts). */
type Taken = { readonly number: number; readonly token: number }

const refusalsForSlower = 3
const slowerEveryMs = 1000
/** More are not remembered. Those that failed longest ago are forgotten first. */
const maxChats = 10_000

export const noRefusedChats: RefusedChats = { failed: new Map(), taken: { number: 0, token: 0 }, nextAt: 0 }

const refusalsOf = ({ taken }: RefusedChats, { newest, refusals }: FailedChat): number =>
  refusals + (taken.number > newest ? 1 : 0)

export const isSlower = (chats: RefusedChats, chat: string): boolean => {
  const failed = chats.failed.get(chat)
  return failed !== undefined && refusalsOf(chats, failed) >= refusalsForSlower
}

export const hasFailed = ({ failed }: RefusedChats, chat: string): boolean => failed.has(chat)

/** True if another chat was taken after this attempt of a chat failed, with the same token. */
export const isOthersTaken = ({ taken }: RefusedChats, number: number, token: number): boolean =>
  taken.number > number && taken.token === token

/** How long an attempt of the slower lane has to wait. */
export const slowerWaitMs = ({ nextAt }: RefusedChats, now: number): number => Math.max(0, nextAt - now)

/** An attempt of the slower lane begins. */
export const trySlower = (chats: RefusedChats, now: number): RefusedChats => ({
  ...chats,
  nextAt: now + slowerEveryMs,
})

/** An attempt of the slower lane was answered, or was not made: the next one may follow. */
export const trySlowerAgain = (chats: RefusedChats, now: number): RefusedChats => ({ ...chats, nextAt: now })

/** An attempt of the chat failed. */
export const afterChatFailed = (chats: RefusedChats, chat: string, number: number, answer: string): RefusedChats => {
  const before = chats.failed.get(chat)
  const failed = new Map(chats.failed)
  // The chat goes to the end of the map.
  failed.delete(chat)
  failed.set(chat, {
    // What was taken before it failed says nothing: requests that time out together are no refusals.
    newest: Math.max(number, chats.taken.number),
    refusals: before === undefined ? 0 : refusalsOf(chats, before),
    answer,
  })
  const [oldest] = failed.keys()
  if (failed.size > maxChats && oldest !== undefined) failed.delete(oldest)
  return { ...chats, failed }
}

/** The service answered an attempt of the chat. */
export const afterChatAnswered = (chats: RefusedChats, chat: string): RefusedChats => {
  if (!chats.failed.has(chat)) return chats
  const failed = new Map(chats.failed)
  failed.delete(chat)
  return { ...chats, failed }
}

/** The service took an attempt. Its own chat counts as answered. */
export const afterTaken = (chats: RefusedChats, chat: string, taken: Taken): RefusedChats => ({
  ...afterChatAnswered(chats, chat),
  taken: taken.number > chats.taken.number ? taken : chats.taken,
})

/** The whole service was unavailable. */
export const afterWholeOutage = (chats: RefusedChats): RefusedChats =>
  chats.failed.size === 0 ? chats : { ...chats, failed: new Map() }

/** The chats in the slower lane, with what the service said last. */
export const refusedChats = (chats: RefusedChats): ReadonlyArray<{ readonly chat: string; readonly answer: string }> =>
  [...chats.failed].flatMap(([chat, failed]) =>
    refusalsOf(chats, failed) >= refusalsForSlower ? [{ chat, answer: failed.answer }] : [],
  )
