import { deadLetterHeaders } from '../../../contracts/records.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { unless } from './findings.ts'
import type { Poison } from './poisons.ts'

/** A poison record that was sent, and its place in the log. */
export type Sent = Poison & { readonly partition: number; readonly offset: string }

/** Wrong dead letters: each poison must be in exactly one, with its bytes, headers and origin, and a cause. */
export const wrongLetters = (
  sent: ReadonlyArray<Sent>,
  letters: ReadonlyArray<IncomingRecord>,
): ReadonlyArray<string> => {
  const byValue = Map.groupBy(letters, ({ value }) => value?.toString('base64') ?? '')
  return sent.flatMap(({ topic, partition, offset, key, value, headers }) => {
    const place = `${topic}/${partition}/${offset}`
    const [letter, ...others] = byValue.get(value.toString('base64')) ?? []
    if (letter === undefined) return [`${place} is in no dead letter`]
    const told = (name: string) => letter.headers[name]?.toString() ?? ''
    const from = [deadLetterHeaders.topic, deadLetterHeaders.partition, deadLetterHeaders.offset].map(told).join('/')
    const changed = Object.entries(headers).filter(([name, text]) => told(name) !== text)
    return [
      ...unless(others.length === 0, `${place} is in ${others.length + 1} dead letters`),
      ...unless(from === place, `${place} is said to be from ${from}`),
      ...unless(letter.key?.toString() === key, `${place} has another key`),
      ...unless(told(deadLetterHeaders.cause) !== '', `${place} has no cause`),
      ...unless(changed.length === 0, `${place} has other headers: ${changed.map(([name]) => name).join(', ')}`),
    ]
  })
}
