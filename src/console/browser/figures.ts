import { count, duration } from './format.ts'

type Json = Readonly<Record<string, unknown>>
/** A figure with what it was made from (contracts/views/daily-stats.ts). */
export type Figure = {
  readonly numerator: number
  readonly denominator: number
  readonly median?: number
  readonly p95?: number
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What stands at a path of field names; undefined where nothing does. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((each, name) => (isObject(each) && Object.hasOwn(each, name) ? each[name] : undefined), value)

export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}
export const numberAt = (value: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}
export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const figureOf = (row: unknown, name: string): Figure | undefined => {
  const figure = at(row, 'figures', name)
  const [numerator, denominator] = [numberAt(figure, 'numerator'), numberAt(figure, 'denominator')]
  if (numerator === undefined || denominator === undefined) return undefined
  const [median, p95] = [numberAt(figure, 'median'), numberAt(figure, 'p95')]
  return { numerator, denominator, ...(median !== undefined && { median }), ...(p95 !== undefined && { p95 }) }
}

/** Figures of several days: what they were made from is added first, then divided. A median cannot be added. */
export const added = (figures: ReadonlyArray<Figure | undefined>): Figure =>
  figures.reduce<Figure>(
    (sum, each) => ({
      numerator: sum.numerator + (each?.numerator ?? 0),
      denominator: sum.denominator + (each?.denominator ?? 0),
    }),
    { numerator: 0, denominator: 0 },
  )

export const quotient = (figure: Figure | undefined): number | undefined =>
  figure === undefined || figure.denominator === 0 ? undefined : figure.numerator / figure.denominator

export const valueText = (value: number | undefined, unit: string): string => {
  if (value === undefined) return '–'
  if (unit === 'share') return `${count(Math.round(value * 1_000) / 10)} %`
  return unit === 'duration' ? duration(value) : count(value)
}

/** How today compares with the other day: shares in points, everything else in percent. Empty where nothing can be said. */
export const changeText = (today: number | undefined, before: number | undefined, unit: string): string => {
  if (today === undefined || before === undefined || today === before) return ''
  const sign = today > before ? '+' : '−'
  const points = Math.abs(today - before) * 100
  if (unit === 'share') return points < 0.05 ? '' : `${sign}${count(Math.round(points * 10) / 10)} points`
  return before === 0 ? '' : `${sign}${count(Math.round((Math.abs(today - before) / before) * 100))} %`
}

/** `firstResponseBot` as `First response bot`. */
export const nameInWords = (name: string): string => {
  const words = name
    .replaceAll('.', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words === 'csat' ? 'CSAT' : words.charAt(0).toUpperCase() + words.slice(1)
}

export type DayCount = { readonly path: ReadonlyArray<string>; readonly title: string; readonly definition: string }

/** The plain counts of a day, as contracts/views/daily-stats.ts says what each is. */
export const dayCounts: ReadonlyArray<DayCount> = [
  {
    path: ['conversations', 'started'],
    title: 'Bot sessions begun',
    definition: 'Bot sessions with a message of the client that began on the day, open ones included.',
  },
  {
    path: ['conversations', 'answeredByBotAlone'],
    title: 'Answered by the bot alone',
    definition: 'Those in which the bot has answered and no agent was asked for.',
  },
  {
    path: ['conversations', 'handedToAgent'],
    title: 'Handed to an agent',
    definition: 'Those in which an agent was asked for or joined.',
  },
  {
    path: ['chats', 'accepted'],
    title: 'Chats accepted',
    definition: 'Agent sessions that an agent accepted on the day.',
  },
  { path: ['chats', 'finished'], title: 'Chats finished', definition: 'Agent sessions that were finished on the day.' },
  { path: ['calls', 'total'], title: 'Calls', definition: 'Calls, by the day of their first event.' },
  { path: ['offlineMessages'], title: 'Offline messages', definition: 'Messages that came through the offline form.' },
  {
    path: ['replies', 'delivered'],
    title: 'Replies delivered',
    definition: 'Bot replies that the service took, by the day of their outcome.',
  },
  {
    path: ['replies', 'failed'],
    title: 'Replies failed',
    definition: 'Bot replies that were given up, by the day of their outcome.',
  },
  {
    path: ['replies', 'suppressed'],
    title: 'Replies suppressed',
    definition: 'Bot replies that came too late to be sent.',
  },
]
