import type { StripAnswer } from '../head.ts'
import type { SystemAnswer } from '../pages/system/page.ts'
import { count, counted } from './format.ts'
import type { PageName } from './menu.ts'
import { partTitle } from './words.ts'

/** The query for all waits, of the page Now and of its answer. */
export const allWaits = 'waits=all'

/** Since when the value is out of date: it came then, and a later request failed. Undefined if it is the newest. */
export const staleSince = ({
  value,
  at,
  trouble,
}: {
  readonly value: unknown
  readonly at: number | undefined
  readonly trouble: unknown
}): number | undefined => (value === undefined || trouble === undefined ? undefined : at)

const retryMs = 5_000

/**
 * When a page requests again what it shows, in ms after the last answer; 0 if it does not. What failed for a reason that
 * may pass is requested again, so the page comes back by itself.
 */
export const againAfterMs = (
  everyMs: number,
  trouble: { readonly words: string; readonly mayPass?: true } | undefined,
): number => (everyMs === 0 && trouble?.mayPass ? retryMs : everyMs)

/** What the strip says if it names nothing that is wrong. While it cannot be read, nobody knows whether all works. */
export const wellText = (trouble: { readonly words: string } | undefined): string =>
  trouble === undefined ? 'Everything works' : `Whether everything works is not known: ${trouble.words}`

type Part = SystemAnswer['checks'][number]

/** The checks and the services of accounts, in one list: first what is wrong, then what waits for it or nobody can tell. */
export const partsOf = ({ checks, breakers }: Pick<SystemAnswer, 'checks' | 'breakers'>): ReadonlyArray<Part> => {
  const services = breakers.map(
    ({ account, isOpen, refusesChats, reason, ...others }): Part => ({
      name: `service of ${account}`,
      state: isOpen || refusesChats ? 'degraded' : 'works',
      words: reason,
      reason: '',
      ...others,
    }),
  )
  const all = [...checks, ...services]
  const rank = ({ state }: Part) => (isWrong({ state }) ? 0 : state === 'waits' ? 1 : state === 'unknown' ? 2 : 3)
  return all.toSorted((a, b) => rank(a) - rank(b))
}

/** The parts with their reasons. A reason that several have is told once, and the others name the part that has it. */
export const withReasonsOnce = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.map((part, i) => {
    const first = parts.slice(0, i).find(({ reason }) => reason === part.reason)
    return part.reason === '' || first === undefined
      ? part
      : { ...part, reason: `the same as ${partTitle(first.name)}` }
  })

/** True if the part does not work for a reason of its own. */
export const isWrong = ({ state }: Pick<Part, 'state'>): boolean =>
  state !== 'works' && state !== 'waits' && state !== 'unknown'

/**
 * What is wrong: the parts that the strip above the page names, so that both say the same, and the services of accounts.
 * Undefined until that is known.
 */
export const wrongParts = (
  strip: Pick<StripAnswer, 'wrong'> | undefined,
  system: Pick<SystemAnswer, 'breakers'> | undefined,
): ReadonlyArray<Pick<Part, 'name' | 'state' | 'words'>> | undefined =>
  strip === undefined || system === undefined
    ? undefined
    : [...strip.wrong, ...partsOf({ checks: [], breakers: system.breakers }).filter(isWrong)]

const servers: ReadonlySet<string> = new Set(['kafka', 'mongodb'])

/** `4 wait for Kafka`: for the servers that do not answer. Undefined if none waits. */
export const waitText = (parts: ReadonlyArray<Pick<Part, 'name' | 'state'>>): string | undefined => {
  const waits = parts.filter(({ state }) => state === 'waits').length
  const absent = parts.filter((part) => servers.has(part.name) && isWrong(part)).map(({ name }) => partTitle(name))
  return waits === 0 || absent.length === 0
    ? undefined
    : `${count(waits)} ${waits === 1 ? 'waits' : 'wait'} for ${absent.join(' and ')}`
}

/** `2 of 12 parts do not work as usual, 4 wait for Kafka, 3 are unknown`. */
export const healthText = (parts: ReadonlyArray<Pick<Part, 'name' | 'state'>>, ready: boolean): string => {
  const wrong = parts.filter(isWrong).length
  const unknown = parts.filter(({ state }) => state === 'unknown').length
  const waits = waitText(parts)
  const also = [
    waits === undefined ? '' : `, ${waits}`,
    unknown === 0 ? '' : `, ${count(unknown)} ${unknown === 1 ? 'is' : 'are'} unknown`,
  ].join('')
  if (wrong > 0)
    return `${count(wrong)} of ${counted(parts.length, 'part')} ${wrong === 1 ? 'does' : 'do'} not work as usual${also}`
  return ready ? `Everything works${also}` : `Not ready yet${also}`
}

/** The parts without which nothing new reaches the views. */
const feeding: ReadonlySet<string> = new Set(['kafka', 'projector'])

/** True if the views may lack what happened lately, although the database answers. */
export const isBehind = (system: Pick<SystemAnswer, 'checks'> | undefined): boolean =>
  system?.checks.some(({ name, state }) => feeding.has(name) && state !== 'works') === true

type Waits = Pick<StripAnswer, 'waiting' | 'waitingForAgent'>

/** All clients who wait, for a reply or for an agent. Null if a part could not be read, and none is known to wait. */
const allWaiting = ({ waiting, waitingForAgent }: Waits): number | null => {
  const known = [waiting, waitingForAgent].filter((size) => size !== null)
  const sum = known.reduce((all, size) => all + size, 0)
  return known.length < 2 && sum === 0 ? null : sum
}

/** `11 clients wait for an answer, 4 for an agent`. Undefined if nothing is known. */
export const waitsText = ({ waiting, waitingForAgent }: Waits): string | undefined => {
  const [first, ...others] = (
    [
      [waiting, 'for an answer'],
      [waitingForAgent, 'for an agent'],
    ] as const
  ).filter(([size]) => size !== null && size > 0)
  if (first === undefined) return waiting === 0 && waitingForAgent === 0 ? 'No client waits' : undefined
  const [size, what] = first
  const also = others.map(([size, what]) => `, ${count(size ?? 0)} ${what}`).join('')
  return `${counted(size ?? 0, 'client')} ${size === 1 ? 'waits' : 'wait'} ${what}${also}`
}

/** What the menu shows beside a page: a number, or `?` if it could not be read. Undefined if there is nothing to say. */
export const badgeOf = (page: PageName, strip: StripAnswer | undefined): string | undefined => {
  const counts: { readonly [Name in PageName]?: number | null | undefined } = {
    conversations: strip && allWaiting(strip),
    'dead-letters': strip?.letters,
    quarantine: strip?.quarantined,
    system: strip?.wrong.length,
  }
  const found = counts[page]
  if (found === null) return '?'
  return found === undefined || found === 0 ? undefined : count(found)
}

/** The words of a count that could not be read, or is not zero. */
const countedText = (value: number | null | undefined, words: (value: number) => string, unknown: string) => {
  if (value === null) return unknown
  return value === undefined || value === 0 ? undefined : words(value)
}

export const lettersText = (letters: StripAnswer['letters']): string | undefined =>
  countedText(letters, (value) => counted(value, 'unresolved letter'), 'unresolved letters: ?')

export const quarantinedText = (quarantined: StripAnswer['quarantined']): string | undefined =>
  countedText(quarantined, (value) => `${count(value)} in quarantine`, 'in quarantine: ?')

type Unresolved = { readonly page: 'dead-letters' | 'quarantine'; readonly words: string; readonly size: number }

/** The letters and requests that somebody must resolve, as the strip counts them. */
export const unresolvedIn = (
  strip: Pick<StripAnswer, 'letters' | 'quarantined'> | undefined,
): ReadonlyArray<Unresolved> =>
  (
    [
      ['dead-letters', strip?.letters, 'letter'],
      ['quarantine', strip?.quarantined, 'request'],
    ] as const
  ).flatMap(([page, size, noun]) =>
    typeof size === 'number' && size > 0 ? [{ page, words: counted(size, noun), size }] : [],
  )

/** True if it is known that no letter and no request waits for somebody. */
export const isAllResolved = (strip: Pick<StripAnswer, 'letters' | 'quarantined'> | undefined): boolean =>
  strip?.letters === 0 && strip.quarantined === 0
