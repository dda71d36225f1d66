import { changeSize, judged } from '../../browser/changes.ts'
import { changeText } from '../../browser/figures.ts'
import type { FigureName } from './definitions.ts'

type Props = {
  readonly name: FigureName
  readonly unit: string
  readonly now: number | undefined
  readonly before: number | undefined
}

/** A change in words: `+16 % worse`. Nothing if there is nothing to compare. */
export const ChangeText = ({ name, unit, now, before }: Props) => {
  if (now === undefined || before === undefined) return null
  const verdict = judged(name, unit, changeSize(now, before, unit))
  const tone = verdict === undefined ? '' : verdict === 'better' ? 'good-text' : 'bad-text'
  return (
    <span class={tone}>
      {changeText(now, before, unit)}
      {verdict !== undefined && ` ${verdict}`}
    </span>
  )
}
