import { unless } from '../findings.ts'
import { type Attack, digestOf } from './attack.ts'

/** Bodies that were refused and are not kept as often, and those that are kept though nobody had to. */
export const notAsKept = (expected: Attack['kept'], values: ReadonlyArray<Buffer | null>): ReadonlyArray<string> => {
  const found = Map.groupBy(values, digestOf)
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [times, { least, more }] = [found.get(name)?.length ?? 0, expected.get(name) ?? { least: 0, more: 0 }]
    return unless(times >= least && times <= least + more, `${name} ${times} times, and not ${least}`)
  })
}
