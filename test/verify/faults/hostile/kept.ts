import { quarantineHeaders } from '../../../../contracts/records.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { unless } from '../findings.ts'
import { type Attack, digestOf } from './attack.ts'

/**
 * Bodies that were refused but not stored as often, and bodies that are stored without need. A record that is written
 * twice, because its first acknowledgement was late, has the same id and counts once.
 */
export const notAsKept = (
  expected: Attack['kept'],
  records: ReadonlyArray<Pick<IncomingRecord, 'value' | 'headers'>>,
): ReadonlyArray<string> => {
  const requests = new Map(records.map((record) => [record.headers[quarantineHeaders.id]?.toString(), record]))
  const found = Map.groupBy(requests.values(), ({ value }) => digestOf(value))
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [times, { least, more }] = [found.get(name)?.length ?? 0, expected.get(name) ?? { least: 0, more: 0 }]
    return unless(times >= least && times <= least + more, `${name} ${times} times, and not ${least}`)
  })
}
