import type { Health } from '../domain/checks.ts'
import type { FallbackState } from './fallback.ts'
import type { OrphansState } from './orphans.ts'

/** Not ready only when Kafka and the journal both refuse records. `now` is in ms since 1970. */
export const journalHealth = (state: FallbackState & { readonly orphans: OrphansState }, now: number): Health => {
  const { failedOver, refused, records, bytes, oldestAt = 0, damaged, orphans } = state
  const age = records > 0 ? `, the oldest for ${Math.max(0, Math.round((now - oldestAt) / 1000))} s` : ''
  const depth = `${records} records wait in the journal (${bytes} bytes)${age}`
  const full = refused ? '; the journal is full or cannot be written' : ''
  const isAway = failedOver.length > 0
  const wrong = [
    ...(damaged.places > 0 ? [`${damaged.places} damaged places have been set aside`] : []),
    ...(orphans.journals > 0
      ? [`journals without a process: ${orphans.journals}, with ${orphans.records} records`]
      : []),
    ...orphans.unusable.map(({ dir, reason }) => `${dir} cannot be opened (${reason})`),
  ]
  const where = isAway
    ? `Kafka does not accept records of ${failedOver.join(', ')}: ${depth}${full}`
    : 'records go to Kafka'
  const reason = [where, ...wrong].join('; ')
  if (isAway && refused) return { ok: false, reason }
  return isAway || wrong.length > 0 ? { ok: true, isLimited: true, reason } : { ok: true, reason }
}
