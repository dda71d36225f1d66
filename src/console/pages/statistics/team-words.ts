import { changeSize, judged } from '../../browser/changes.ts'
import { changeText, type Definition, type Row, type Total, valueOfRows } from '../../browser/figures.ts'
import { count } from '../../browser/format.ts'

const sessions: Definition = { name: 'sessions.agent.started', unit: 'count' }
const response: Definition = { name: 'figures.firstResponseAgent', unit: 'duration' }

/** With fewer sessions in either period an agent is not called slower. */
const leastSessions = 5
const mostNamed = 3

const sessionsOf = (rows: ReadonlyArray<Row>): number => valueOfRows(rows, sessions) ?? 0

/** The rows that begin with the most sessions. */
export const busiestFirst = (totals: ReadonlyArray<Total>): ReadonlyArray<Total> =>
  totals.toSorted((a, b) => sessionsOf(b.rows) - sessionsOf(a.rows))

/** Who had the most sessions, and whose first response is slower than in the period before, in a sentence or two. */
export const teamWords = (
  totals: ReadonlyArray<Total>,
  before: ReadonlyMap<string, ReadonlyArray<Row>> | undefined,
  nameOf: (id: string) => string,
): string => {
  const [most] = busiestFirst(totals)
  if (most === undefined || sessionsOf(most.rows) === 0) return ''
  const first = `Most: ${nameOf(most.id)} (${count(sessionsOf(most.rows))}).`
  if (before === undefined) return first
  const compared = totals.flatMap(({ id, rows }) => {
    const earlier = before.get(id) ?? []
    if (Math.min(sessionsOf(rows), sessionsOf(earlier)) < leastSessions) return []
    const [now, then] = [valueOfRows(rows, response), valueOfRows(earlier, response)]
    const size = changeSize(now, then, response.unit)
    return size === undefined ? [] : [{ id, size, text: changeText(now, then, response.unit) }]
  })
  if (compared.length === 0) return first
  const named = compared
    .filter(({ size }) => judged(response.name, response.unit, size) === 'worse')
    .toSorted((a, b) => b.size - a.size)
    .slice(0, mostNamed)
    .map(({ id, text }, i) => `${nameOf(id)}, ${i === 0 ? 'first response ' : ''}${text}`)
  return named.length === 0 ? `${first} Nobody is slower.` : `${first} Slower: ${named.join('; ')}.`
}
