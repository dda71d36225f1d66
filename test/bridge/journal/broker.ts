import * as E from 'fp-ts/lib/Either.js'
import type { Failure, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { Send } from '../../../src/bridge/journal/drain.ts'
import { idOf } from './given.ts'

type Waiting = { readonly record: OutgoingRecord; readonly answer: (outcome: E.Either<Failure, void>) => void }

const failure = (kind: Failure['kind'], reason: string) => E.left<Failure, void>({ kind, reason })

/**
 * A lane to a scripted broker. Records enter the log in the order of the calls. The script decides separately whether
 * and when the broker acknowledges them. The lane of a dead process answers no more calls.
 */
export const scriptedBroker = () => {
  const log: OutgoingRecord[] = []
  const refusedForEver = new Set<number>()
  let full = false
  let present = 0

  const connect = () => {
    present += 1
    const mine = present
    const queue: Waiting[] = []
    const late: (() => void)[] = []
    const send: Send = (record) =>
      new Promise((answer) => {
        if (full) answer(failure('transient', 'the lane is full'))
        else if (mine === present) queue.push({ record, answer })
      })
    const take = (many: number, how: 'now' | 'late' | 'never') => {
      for (const { record, answer } of queue.splice(0, many)) {
        const refused = refusedForEver.has(idOf(record))
        if (!refused) log.push(record)
        const acknowledge = () => answer(refused ? failure('permanent', 'too large') : E.right(undefined))
        if (how === 'now') acknowledge()
        if (how === 'late') late.push(acknowledge)
      }
    }
    return {
      send,
      take,
      waiting: () => queue.map(({ record }) => idOf(record)),
      acknowledgeLate: () => {
        for (const acknowledge of late.splice(0)) acknowledge()
      },
      /** The lane reports a timeout for its first record, which may still enter the log. */
      giveUp: () => queue[0]?.answer(failure('transient', 'not acknowledged in time')),
      /** The process dies. The first `sent` records still enter the log, the others never do. */
      die: (sent: number) => {
        log.push(...queue.splice(0, sent).map(({ record }) => record))
        queue.length = 0
      },
    }
  }

  return {
    log,
    refusedForEver,
    connect,
    setFull: (is: boolean) => {
      full = is
    },
    ids: () => log.map(idOf),
    firstIds: () => [...new Set(log.map(idOf))],
  }
}
