import type { Health } from '../domain/ports.ts'
import type { JournalState } from './journal.ts'

type State = JournalState & { readonly away: boolean }

/** Not ready only when records can go nowhere; `now` in ms since 1970. */
export const describe = (
  { away, records, bytes, oldestAt = 0, damaged }: State,
  refused: boolean,
  now: number,
): Health => {
  const age = records > 0 ? `, the oldest for ${Math.max(0, Math.round((now - oldestAt) / 1000))} s` : ''
  const depth = `${records} records wait in the journal (${bytes} bytes)${age}`
  const damage = damaged.places > 0 ? `; ${damaged.places} damaged places have been set aside` : ''
  const main = away
    ? `the broker is away, ${depth}${refused ? '; the journal takes no more' : ''}`
    : 'records go to the broker'
  return { ok: !(away && refused), reason: `${main}${damage}` }
}
