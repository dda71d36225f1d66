import { count } from '../../browser/format.ts'
import { Card } from '../../browser/parts.tsx'
import { causeWords, lettersWords } from '../../browser/words.ts'
import { type ChangeFilters, isNarrowed, type LettersFilters } from './filters.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'
import type { Choice } from './redrive-dialog.tsx'
import { RedriveStatus } from './redrive-status.tsx'
import type { Run } from './use-redrives.ts'

type Props = {
  readonly kind: LettersKind
  readonly groups: LettersAnswer['groups']
  readonly filters: LettersFilters
  /** There may be more letters, because not all were read. */
  readonly isCut: boolean
  readonly mayAct: boolean
  readonly isSending: boolean
  readonly runs: ReadonlyMap<string, Run>
  readonly change: ChangeFilters
  readonly send: (choice: Choice) => void
  readonly stop: () => void
}

type Group = Pick<LettersFilters, 'cause' | 'topic' | 'reason'>
type Row = Group & { readonly count: number; readonly unresolved: number; readonly maySend: boolean }

const placeOf = ({ cause, topic, reason }: Group) => JSON.stringify(['group', cause, topic, reason])
/** The group of a place. Its letters may be in another group by now, but the outcome is still of interest. */
const groupOf = (place: string): Group | undefined => {
  if (!place.startsWith('["group"')) return undefined
  const [, cause = '', topic = '', reason = ''] = JSON.parse(place) as string[]
  return { cause, topic, reason }
}

/** A cause, and below it its reasons. A cause whose letters all have one reason is sent by that reason. */
const rowsOf = (groups: LettersAnswer['groups'], runs: ReadonlyMap<string, Run>): ReadonlyArray<Row> => {
  const rows = groups.flatMap(({ cause, topic, count, unresolved, reasons }): ReadonlyArray<Row> => {
    const maySend = !reasons.some((each) => each.unresolved === unresolved)
    return [
      { cause, topic, reason: '', count, unresolved, maySend },
      ...reasons.map((each) => ({ cause, topic, maySend: true, ...each })),
    ]
  })
  const places = new Set(rows.map(placeOf))
  const left = [...runs.keys()].flatMap((place) => {
    const group = places.has(place) ? undefined : groupOf(place)
    return group === undefined ? [] : [{ ...group, count: 0, unresolved: 0, maySend: false }]
  })
  return [...rows, ...left]
}

/** The letters counted by cause and topic, and by reason below. A group is a filter, and can be sent again. */
export const LetterGroups = ({ kind, groups, filters, isCut, mayAct, isSending, runs, change, send, stop }: Props) => (
  <Card
    title="By reason"
    id="groups"
    aside={
      <span class="muted">
        {isNarrowed(filters)
          ? `only ${lettersWords[kind].noun}s that match the filters`
          : `of all ${lettersWords[kind].noun}s`}
        {isCut && '. There may be more: not all were read'}
      </span>
    }
  >
    <ul class="plain-list groups">
      {rowsOf(groups, runs).map(({ cause, topic, reason, count: size, unresolved, maySend }) => {
        const group = { cause, topic, reason }
        const place = placeOf(group)
        return (
          <li key={place} class={reason === '' ? '' : 'under'}>
            <span class="what">
              <button type="button" class="link" data-item onClick={() => change(group)}>
                {reason === '' ? causeWords(cause) : reason}
              </button>
              {reason === '' && kind === 'dead-letters' && (
                <>
                  {' '}
                  <span class="muted">{topic}</span>
                </>
              )}
            </span>
            <span class="number">
              {count(unresolved)} unresolved of {count(size)}
            </span>
            {mayAct && maySend && unresolved > 0 && (
              <button
                type="button"
                disabled={isSending}
                onClick={() => send({ place, filters: { ...filters, ...group, reason: reason || filters.reason } })}
              >
                Send {count(unresolved)} again…
              </button>
            )}
            <RedriveStatus kind={kind} run={runs.get(place)} stop={stop} />
          </li>
        )
      })}
    </ul>
  </Card>
)
