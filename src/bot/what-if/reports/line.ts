import { createHmac, hkdfSync } from 'node:crypto'
import type { Account } from '../../../bridge/domain/accounts.ts'
import type { Acts } from '../acts.ts'
import type { Compared } from '../chat.ts'

export type Telling = {
  /** Stands for words. Nobody without the account's token can test which words a hash belongs to. */
  readonly hash: (words: string) => string
  readonly withWords: boolean
}

/** Equal words of an account have equal hashes, in every run until its token is replaced. */
export const wordHash = ({ id, webhooks, bot }: Account): Telling['hash'] => {
  const secret = bot?.token ?? webhooks?.token ?? ''
  const key = Buffer.from(hkdfSync('sha256', secret, '', `livechat-bridge what-if 1 ${id}`, 32))
  return (words) => createHmac('sha256', key).update(words).digest('base64url').slice(0, 16)
}

const actJson = (act: Acts[number], { hash, withWords }: Telling): object =>
  act.kind === 'hand-over'
    ? { act: 'hand-over' }
    : {
        act: act.type,
        ...(act.buttons.length > 0 && { buttons: act.buttons }),
        ...(act.announces && { moreFollows: true }),
        length: [...act.words].length,
        hash: hash(act.words),
        ...(withWords && { words: act.words }),
      }

const actsJson = (acts: Acts | undefined, telling: Telling): ReadonlyArray<object> | null =>
  acts?.map((act) => actJson(act, telling)) ?? null

/** A line of report.jsonl. With words it says by when it must be deleted. */
export const lineOf = (
  chatId: string,
  { turn, verdict, observed, baseline, candidate, reason }: Compared,
  telling: Telling,
  deleteBy: string | undefined,
): string =>
  JSON.stringify({
    chatId,
    turn: turn.number,
    verdict,
    observed: actsJson(observed, telling),
    baseline: actsJson(baseline?.replies, telling),
    candidate: actsJson(candidate?.replies, telling),
    reason: reason ?? null,
    ...(deleteBy !== undefined && { deleteBy }),
  })
