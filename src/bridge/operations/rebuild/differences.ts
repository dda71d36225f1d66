import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '../../mongo/rebuild/collections.ts'
import { countsDeletedRecords, type ViewName } from '../../views/index.ts'
import type { Places, Positions } from './places.ts'

/** The progress of both sides. */
export type Known = {
  /** What the live view had processed before its document was read. */
  readonly live: Positions
  /** What the rebuilt view had processed before its document was read. */
  readonly rebuilt: Positions
  /** The logs, read after both documents. */
  readonly logs: Places
}

/**
 * `moving`: one side has processed a record that the other may still get. `older`: the document is older than the
 * records that its topic still has. `crowded`: one side has no room for the document, and the order in which records
 * were read decides for which it has.
 */
export type Verdict =
  | { readonly kind: 'same' | 'moving' | 'older' | 'crowded' }
  | { readonly kind: 'different'; readonly what: 'only live' | 'only rebuilt' | ReadonlyArray<string> }

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value)

/**
 * The last record of each partition that a document has processed; for `timeline`, the record that the entry shows.
 * Records that the log has deleted, such as old commands, are left out: the rebuilt side can never have them.
 */
const processedBy = (document: Fields | undefined, logs: Places): ReadonlyMap<string, number> => {
  const { applied, topic, partition, offset } = document ?? {}
  const all = applied === undefined ? { [`${topic}/${partition}`]: offset } : Object(applied)
  return new Map(
    Object.entries(all).flatMap(([source, last]) =>
      isOffset(last) && !source.endsWith('/epoch') && last >= (logs.get(source)?.first ?? 0) ? [[source, last]] : [],
    ),
  )
}

/** `any`: one side has records that the other lacks. `due`: the other side should have at least one of them. */
const lacking = (
  has: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
  otherAt: Positions,
  logs: Places,
) => {
  const ahead = [...has].filter(([source, last]) => last > (other.get(source) ?? -1))
  const isDue = ([source, last]: readonly [string, number]) =>
    last < (otherAt.get(source) ?? Number.POSITIVE_INFINITY) || last >= (logs.get(source)?.end ?? 0)
  return { any: ahead.length > 0, due: ahead.some(isDue) }
}

/** A session's `audit` is made from `timeline` after the fold. A rebuilt document does not have it yet. */
const contentOf = (live: Fields, rebuilt: Fields, sameRecords: boolean): Verdict => {
  const { applied: one, audit: _, ...liveRest } = live
  const { applied: other, audit: __, ...rebuiltRest } = rebuilt
  const fields = differingFields(
    sameRecords ? liveRest : { ...liveRest, applied: one },
    sameRecords ? rebuiltRest : { ...rebuiltRest, applied: other },
  )
  return fields.length === 0 ? { kind: 'same' } : { kind: 'different', what: fields }
}

/**
 * Compares a live document with its rebuilt one while records keep arriving. Documents that have processed the same
 * records must be equal. If one side lacks a record that it has already passed, they will never be equal. In all other
 * cases the comparison must wait.
 */
export const compare = (live: Fields | undefined, rebuilt: Fields | undefined, known: Known): Verdict => {
  const [inLive, inRebuilt] = [processedBy(live, known.logs), processedBy(rebuilt, known.logs)]
  const rebuiltLacks = lacking(inLive, inRebuilt, known.rebuilt, known.logs)
  const liveLacks = lacking(inRebuilt, inLive, known.live, known.logs)
  const sameRecords = !rebuiltLacks.any && !liveLacks.any
  if (!sameRecords && !rebuiltLacks.due && !liveLacks.due) return { kind: 'moving' }
  if (live === undefined) return rebuilt === undefined ? { kind: 'same' } : { kind: 'different', what: 'only rebuilt' }
  return rebuilt === undefined ? { kind: 'different', what: 'only live' } : contentOf(live, rebuilt, sameRecords)
}

/** True if the topics may have deleted records that a live document has. A rebuilt one never has them. */
export const isOlder = (view: ViewName, live: Fields | undefined, now: number): boolean =>
  live !== undefined && countsDeletedRecords(view, live, now)

/** Whether each side has the document that counts what the account has no room for. */
export type Overflow = { readonly id: string; readonly live: boolean; readonly rebuilt: boolean }

/** The verdict, unless the limit of the account explains that one side lacks the document. */
export const withRoom = (id: string, verdict: Verdict, overflow: Overflow): Verdict => {
  if (verdict.kind !== 'different') return verdict
  const crowded = { kind: 'crowded' } as const
  if (verdict.what === 'only live') return overflow.rebuilt ? crowded : verdict
  if (verdict.what === 'only rebuilt') return overflow.live ? crowded : verdict
  return id === overflow.id ? crowded : verdict
}

const fieldsAtMost = 20

const isNode = (value: unknown): value is Fields | ReadonlyArray<unknown> =>
  Array.isArray(value) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)

const namesOf = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])]

const differing = (a: unknown, b: unknown, path: string): ReadonlyArray<string> => {
  if (isDeepStrictEqual(a, b)) return []
  if (!isNode(a) || !isNode(b) || Array.isArray(a) !== Array.isArray(b)) return [path]
  return namesOf(a, b).flatMap((name) => {
    const at = (of: object): unknown => (Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined)
    return differing(at(a), at(b), path === '' ? name : `${path}.${name}`)
  })
}

/** The paths of the fields in which two documents differ, twenty at most: names and positions, never values. */
export const differingFields = (a: Fields, b: Fields): ReadonlyArray<string> =>
  differing(a, b, '').slice(0, fieldsAtMost)

/** A document that differs: only one side has it, or these fields are others. */
export type Example = { readonly id: string; readonly what: Extract<Verdict, { kind: 'different' }>['what'] }

/** The result of a comparison so far. Only the first differences are kept as examples. */
export type Findings = {
  readonly same: number
  readonly different: number
  readonly examples: ReadonlyArray<Example>
  readonly older: number
  readonly crowded: number
  /** Ids of documents that were still changing. */
  readonly moving: ReadonlyArray<string>
  /** How many more documents were still changing. */
  readonly movingBeyond: number
}

export const noFindings: Findings = {
  same: 0,
  different: 0,
  examples: [],
  older: 0,
  crowded: 0,
  moving: [],
  movingBeyond: 0,
}

const examplesAtMost = 20
const movingAtMost = 10_000

/** Adds the verdict on a document. */
export const found = (findings: Findings, id: string, verdict: Verdict): Findings => {
  switch (verdict.kind) {
    case 'same':
      return { ...findings, same: findings.same + 1 }
    case 'older':
      return { ...findings, older: findings.older + 1 }
    case 'crowded':
      return { ...findings, crowded: findings.crowded + 1 }
    case 'different': {
      const { examples, different } = findings
      const more = examples.length < examplesAtMost ? [...examples, { id, what: verdict.what }] : examples
      return { ...findings, different: different + 1, examples: more }
    }
    case 'moving':
      return findings.moving.length < movingAtMost
        ? { ...findings, moving: [...findings.moving, id] }
        : { ...findings, movingBeyond: findings.movingBeyond + 1 }
  }
}

/** The findings of a view as data. */
export type Found = Pick<Findings, 'same' | 'different' | 'examples' | 'older' | 'crowded'> & {
  readonly moving: number
}
export const foundIn = ({ same, different, examples, older, crowded, moving, movingBeyond }: Findings): Found => ({
  same,
  different,
  examples,
  older,
  crowded,
  moving: moving.length + movingBeyond,
})
