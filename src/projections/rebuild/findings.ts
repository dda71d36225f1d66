import type { Verdict } from './compare.ts'

/** What a comparison has found so far; of the differences, the first ones only are kept. */
export type Findings = {
  readonly same: number
  readonly different: number
  readonly examples: ReadonlyArray<string>
  /** Ids of documents that did not stand still. */
  readonly moving: ReadonlyArray<string>
  /** How many did not stand still beyond those. */
  readonly movingBeyond: number
}

export const noFindings: Findings = { same: 0, different: 0, examples: [], moving: [], movingBeyond: 0 }

const examplesAtMost = 20
const movingAtMost = 10_000

const told = (id: string, what: Extract<Verdict, { kind: 'different' }>['what']): string => {
  if (what === 'only live') return `${id}: the live view alone has it`
  return what === 'only rebuilt' ? `${id}: the live view lacks it` : `${id}: ${what.join(', ')}`
}

/** Adds the verdict on a document. */
export const found = (findings: Findings, id: string, verdict: Verdict): Findings => {
  switch (verdict.kind) {
    case 'same':
      return { ...findings, same: findings.same + 1 }
    case 'different': {
      const { examples, different } = findings
      const more = examples.length < examplesAtMost ? [...examples, told(id, verdict.what)] : examples
      return { ...findings, different: different + 1, examples: more }
    }
    case 'moving':
      return findings.moving.length < movingAtMost
        ? { ...findings, moving: [...findings.moving, id] }
        : { ...findings, movingBeyond: findings.movingBeyond + 1 }
  }
}

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The findings of a view as lines: the count first, then examples. */
export const findingsText = (view: string, findings: Findings): ReadonlyArray<string> => {
  const { same, different, examples } = findings
  const moving = findings.moving.length + findings.movingBeyond
  const parts = [
    `${plural(same, 'document is', 'documents are')} the same`,
    ...(different > 0 ? [`${plural(different, 'is', 'are')} different`] : []),
    ...(moving > 0 ? [`${plural(moving, 'was', 'were')} changing all the time and not compared`] : []),
  ]
  const more = different - examples.length
  return [
    `${view}: ${parts.join(', ')}`,
    ...examples.map((example) => `  ${example}`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : []),
  ]
}
