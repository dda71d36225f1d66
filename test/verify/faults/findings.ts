import type { Verdict } from './checker.ts'
import type { Findings } from './scenario.ts'

const some = (what: string, items: ReadonlyArray<string>): ReadonlyArray<string> =>
  items.length === 0 ? [] : [`${items.length} ${what}, such as ${items.slice(0, 3).join('; ')}`]

type Rest = {
  readonly injected: number
  readonly failures?: ReadonlyArray<string>
  readonly notes?: ReadonlyArray<string>
}

/** The checks that apply to every fault, and the scenario's own findings. */
export const findingsOf = (
  {
    accepted,
    refused,
    unanswered,
    lost,
    duplicated,
    renamed,
    inverted,
    longestStall,
    undescribed = [],
  }: Verdict & { readonly undescribed?: ReadonlyArray<string> },
  { injected, failures = [], notes = [] }: Rest,
): Findings => ({
  injected,
  accepted,
  lost: lost.length,
  duplicated,
  inverted: inverted.length,
  longestStall,
  failures: [
    ...some('lost', lost),
    ...some('out of order', inverted),
    ...some('that the published schemas do not describe', undescribed),
    ...some('under more than one identity', renamed),
    ...(accepted === 0 ? ['nothing was accepted'] : []),
    ...failures,
  ],
  notes: [`${refused} refused, ${unanswered} unanswered`, ...notes],
})

/** Of a scenario that cannot run here. */
export const skippedBecause = (skipped: string): Findings => ({
  injected: 0,
  accepted: 0,
  lost: 0,
  duplicated: 0,
  inverted: 0,
  longestStall: 0,
  failures: [],
  notes: [],
  skipped,
})

export const wrong = (what: string, ids: ReadonlyArray<string>) => some(what, ids)
export const unless = (isSo: boolean, complaint: string): ReadonlyArray<string> => (isSo ? [] : [complaint])
