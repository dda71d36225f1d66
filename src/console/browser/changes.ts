import type { FigureName } from '../pages/statistics/definitions.ts'

/** Whether more of a figure is better or worse. Figures that are not here, such as volumes, are neither. */
const moreIs: Readonly<Partial<Record<FigureName, 'better' | 'worse'>>> = {
  'figures.containment': 'better',
  'figures.serviceLevel': 'better',
  'figures.csat': 'better',
  'figures.abandonment': 'worse',
  'figures.queueTime': 'worse',
  'figures.waitTime': 'worse',
  'figures.firstResponseBot': 'worse',
  'figures.responseTimeBot': 'worse',
  'figures.firstResponseAgent': 'worse',
  'figures.responseTimeAgent': 'worse',
  'figures.reopenRate': 'worse',
}

/** A smaller change says nothing: in percent of the earlier value, or for shares in points. */
const leastPercent = { part: 10, share: 3 }

/** The change since the period before: shares as a difference, other units as a part of the earlier value. */
export const changeSize = (now: number | undefined, before: number | undefined, unit: string): number | undefined => {
  if (now === undefined || before === undefined) return undefined
  if (unit === 'share') return now - before
  return before === 0 ? undefined : (now - before) / before
}

/** Whether a change of this size is a change for the better or for the worse. Undefined if it is neither, or small. */
export const judged = (name: FigureName, unit: string, size: number | undefined): 'better' | 'worse' | undefined => {
  const more = moreIs[name]
  const least = unit === 'share' ? leastPercent.share : leastPercent.part
  if (more === undefined || size === undefined || Math.round(Math.abs(size) * 100) < least) return undefined
  return size > 0 === (more === 'better') ? 'better' : 'worse'
}
