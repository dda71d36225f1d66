import * as E from 'fp-ts/lib/Either.js'
import { clients, enrichments } from '../../../../contracts/topics.ts'
import { type IncomingRecord, partitionName } from '../../domain/log/record.ts'
import type { State } from '../../mongo/redrives.ts'
import type { NotSent, Why } from './batches.ts'
import type { StoredDeadLetter } from './dead-letters.ts'

/** A record that was redriven this often is sent again only if an operator insists. */
export const maxRedrives = 3

/**
 * `force`: also send a record that was redriven `maxRedrives` times. `again`: also send what was sent before.
 * `overwrite`: also send what is older than the state in the view.
 */
export type Rules = {
  readonly force: boolean
  readonly again: boolean
  readonly overwrite: boolean
}

/**
 * What is known about a dead letter besides its headers: how often it was sent back, whether the view has a newer
 * state, and whether its chat, client or enrichment was erased later.
 */
export type Known = { readonly timesSent: number; readonly outdated: boolean; readonly erased: boolean }

/** The person has been erased since the record was kept. */
export const erasedSince: Why = { kind: 'erased' }

/**
 * Decides about a dead letter. Right: the number of redrives of its record, including this one. A record that fails
 * again becomes a new dead letter with a higher count. That count plus the redrives of the dead letter itself limits
 * the redrives of one record, however often an operator repeats the command.
 */
export const decideRedrive = (
  { redriven }: Pick<StoredDeadLetter, 'redriven'>,
  { timesSent, outdated, erased }: Known,
  { force, again, overwrite }: Rules,
): E.Either<NotSent, number> => {
  if (erased) return E.left({ result: 'kept', why: erasedSince })
  if (timesSent > 0 && !again) return E.left({ result: 'before' })
  const times = redriven + timesSent
  if (times >= maxRedrives && !force) return E.left({ result: 'kept', why: { kind: 'redriven', times } })
  if (outdated && !overwrite) return E.left({ result: 'kept', why: { kind: 'outdated' } })
  return E.right(times + 1)
}

/** The topics whose view keeps only the last record of each key. There an old record would replace a newer one. */
export const stateTopics = [clients.name, enrichments.name] as const

/**
 * True if the view may have processed a newer record than this one. An event has its time. An enrichment has no time,
 * so its offset decides. A copy that was redriven has a newer offset than its content, so it always counts as outdated.
 */
export const isOutdated = (
  { origin, redriven }: Pick<StoredDeadLetter, 'origin' | 'redriven'>,
  { headers }: Pick<IncomingRecord, 'headers'>,
  state: State | undefined,
): boolean => {
  if (state === undefined) return false
  if (origin.topic === clients.name) return Number(state.lastEventAt) > Date.parse(String(headers.ce_time))
  const source = partitionName(origin)
  return Object.entries(state.applied ?? {}).some(
    ([each, offset]) => !each.endsWith('/epoch') && (redriven > 0 || each !== source || offset > origin.offset),
  )
}
