import type { Json, Schema } from '../schema.ts'

/**
 * What a change does to the values that a schema accepts: fewer (`narrowed`), more (`widened`), other ones (`changed`), or the
 * same ones without a field that had a meaning (`lost`).
 */
export type Effect = 'narrowed' | 'widened' | 'changed' | 'lost'
export type Difference = { readonly path: string; readonly change: string; readonly effect: Effect }
type Change = Omit<Difference, 'path'>

const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const highest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const opaque = ['pattern', 'format', 'allOf', 'not']

const show = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

const typeChange = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const [from, to] = [before.type ?? 'anything', after.type ?? 'anything']
  if (from === to) return []
  const change = `type changed from ${show(from)} to ${show(to)}`
  if (to === 'anything' || (from === 'integer' && to === 'number')) return [{ change, effect: 'widened' }]
  if (from === 'anything' || (from === 'number' && to === 'integer')) return [{ change, effect: 'narrowed' }]
  return [{ change, effect: 'changed' }]
}

const valuesOf = ({ const: only, enum: several }: Schema): ReadonlyArray<string> | undefined => {
  if (only !== undefined) return [show(only)]
  return Array.isArray(several) ? several.map(show) : undefined
}

const valueChanges = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const [from, to] = [valuesOf(before), valuesOf(after)]
  if (from === undefined && to === undefined) return []
  if (from === undefined) return [{ change: `only ${to?.join(', ')} any more`, effect: 'narrowed' }]
  if (to === undefined) return [{ change: `no longer only ${from.join(', ')}`, effect: 'widened' }]
  return [
    ...from
      .filter((value) => !to.includes(value))
      .map((value): Change => ({ change: `value removed: ${value}`, effect: 'narrowed' })),
    ...to
      .filter((value) => !from.includes(value))
      .map((value): Change => ({ change: `value added: ${value}`, effect: 'widened' })),
  ]
}

const boundChanges = (before: Schema, after: Schema): ReadonlyArray<Change> =>
  [...lowest, ...highest].flatMap((keyword): ReadonlyArray<Change> => {
    const [from, to] = [before[keyword], after[keyword]]
    if (from === to) return []
    const [unbounded, sign] = lowest.includes(keyword) ? [-Infinity, 1] : [Infinity, -1]
    const tighter = sign * (Number(to ?? unbounded) - Number(from ?? unbounded)) > 0
    const change = `${keyword} changed from ${show(from ?? 'none')} to ${show(to ?? 'none')}`
    return [{ change, effect: tighter ? 'narrowed' : 'widened' }]
  })

/** Nobody can say in general whether one pattern accepts more than another. */
const opaqueChanges = (before: Schema, after: Schema): ReadonlyArray<Change> =>
  opaque.flatMap((keyword): ReadonlyArray<Change> => {
    const [from, to] = [before[keyword], after[keyword]]
    if (JSON.stringify(from) === JSON.stringify(to)) return []
    if (from === undefined) return [{ change: `${keyword} added`, effect: 'narrowed' }]
    return [
      {
        change: `${keyword} ${to === undefined ? 'removed' : 'changed'}`,
        effect: to === undefined ? 'widened' : 'changed',
      },
    ]
  })

/** The changes of one schema's own keywords, without its parts. */
export const keywordChanges = (before: Schema, after: Schema): ReadonlyArray<Change> => {
  const type = typeChange(before, after)
  return type.some(({ effect }) => effect === 'changed')
    ? type
    : [...type, ...valueChanges(before, after), ...boundChanges(before, after), ...opaqueChanges(before, after)]
}
