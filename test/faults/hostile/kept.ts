import { unless } from '../findings.ts'
import { type Attack, digestOf } from './attack.ts'

/**
 * Bodies that were refused and are not kept as often, and those that are kept though nobody had to. With each send to Kafka that
 * had no answer, and so was `repeated`, one that is kept may be so once more.
 */
export const notAsKept = (
  expected: Attack['kept'],
  values: ReadonlyArray<Buffer | null>,
  repeated: number,
): ReadonlyArray<string> => {
  const found = Map.groupBy(values, digestOf)
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [times, { least, more }] = [found.get(name)?.length ?? 0, expected.get(name) ?? { least: 0, more: 0 }]
    const most = least + more === 0 ? 0 : least + more + repeated
    return unless(times >= least && times <= most, `${name} ${times} times, and not ${least}`)
  })
}
