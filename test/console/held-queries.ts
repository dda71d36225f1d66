import { setImmediate as afterOthers } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as assert from 'uvu/assert'
import type { ReadSource } from '../../src/console/backend.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'

type Asked = ReadonlyArray<() => void>

/** Queries that find these rows. Each is answered when the test calls its function in `asked`. */
export const heldQueries = (rows: ReadonlyArray<object> = []) => {
  const asked: Array<() => void> = []
  const read: ReadSource = () => {
    const answer = Promise.withResolvers<E.Either<never, never>>()
    asked.push(() => answer.resolve(E.right(rows as never)))
    return answer.promise
  }
  return { asked, read }
}

/** Asks twice at the same time. The second query is made only when the first answer is complete. */
export const isOneAtATime = async (ask: () => Promise<E.Either<unknown, unknown>>, asked: Asked): Promise<void> => {
  const [first, second] = [ask(), ask()]
  await eventually('the first question', () => asked.length > 0)
  for (let turn = 0; turn < 10; turn++) await afterOthers()
  assert.is(asked.length, 1)
  asked[0]?.()
  await first
  await eventually('the second question', () => asked.length === 2)
  asked[1]?.()
  right(await second)
}
