import { driftWords } from '../../browser/words.ts'

/** What to do about kinds of entries. What is lost after some days is first. */
const advice = [
  {
    kinds: ['refused', 'unknown-event'],
    todo: 'The requests are in quarantine for 14 days. Tell the developers before that. When the bridge knows what came, operators send them again on the page Quarantine.',
  },
  {
    kinds: ['unknown-field', 'new-value', 'misfit'],
    todo: 'Nothing is lost: the values are in the field extra of their events. Tell the developers, who may add them to the contracts.',
  },
  {
    kinds: ['others'],
    todo: 'The account has as many entries as are kept, so these were only counted. Find what fills the list.',
  },
] as const

export type Advice = { readonly kinds: string; readonly todo: string }

/** What to do about the entries of these kinds, once for all kinds that need the same. */
export const adviceFor = (kinds: ReadonlyArray<string>): ReadonlyArray<Advice> =>
  advice.flatMap(({ kinds: all, todo }) => {
    const there = all.filter((kind) => kinds.includes(kind))
    return there.length === 0 ? [] : [{ kinds: there.map(driftWords).join(', '), todo }]
  })
