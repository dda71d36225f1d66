import { type Acts, haveSameActs, haveSameWords } from './acts.ts'

export const verdicts = [
  'same',
  'words',
  'act',
  'silent',
  'answered',
  'slow',
  'threw',
  'refused',
  'not-comparable',
  'not-compared',
] as const
export type Verdict = (typeof verdicts)[number]

/** A bot gave no answer that the bridge could send in time. `reason` has no word of the chat. */
export type Failing = { readonly verdict: 'threw' | 'slow' | 'refused'; readonly reason: string }

/** What a bot does in a turn now. `replies` of a failed answer are those that the bridge would refuse. */
export type Answer = {
  readonly replies: Acts
  readonly failing?: Failing
  /** In ms: how long the bot took. */
  readonly ms: number
}

/** The answer with which the candidate is compared: the baseline's, or what the log says. */
export type Reference = Pick<Answer, 'replies' | 'failing'>

/** The kinds of verdicts that count as a divergence. */
export const divergences = ['act', 'silent', 'answered', 'slow', 'threw', 'refused'] as const satisfies Verdict[]
export type Divergence = (typeof divergences)[number] | 'words'

export const isDivergence = (verdict: Verdict, isExact: boolean): verdict is Divergence =>
  divergences.some((each) => each === verdict) || (isExact && verdict === 'words')

/** What the client would get instead of the reference. Acts decide: other words are `words` and no divergence. */
export const verdictOf = (reference: Reference, candidate: Reference): Verdict => {
  const { failing } = candidate
  if (failing !== undefined) return reference.failing?.verdict === failing.verdict ? 'same' : failing.verdict
  const [old, now] = [reference.replies, candidate.replies]
  if (reference.failing === undefined && haveSameActs(old, now)) return haveSameWords(old, now) ? 'same' : 'words'
  if (now.length === 0) return 'silent'
  return old.length === 0 || reference.failing !== undefined ? 'answered' : 'act'
}

/** True if a bot that is asked several times does not do the same each time. */
export const isUnstable = (answers: ReadonlyArray<Reference>, isExact: boolean): boolean => {
  const [first, ...others] = answers
  return others.some((other) => {
    if (first?.failing?.verdict !== other.failing?.verdict) return true
    const verdict = verdictOf({ replies: first?.replies ?? [] }, { replies: other.replies })
    return other.failing === undefined && verdict !== 'same' && (isExact || verdict !== 'words')
  })
}
