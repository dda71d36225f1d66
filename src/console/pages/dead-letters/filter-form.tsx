import { count } from '../../browser/format.ts'
import { pageOf } from '../../browser/menu.ts'
import { optionsOf, Select } from '../../browser/parts.tsx'
import { causeWords, letterStateWords } from '../../browser/words.ts'
import { type ChangeFilters, filterStates, type LettersFilters } from './filters.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'

type Props = {
  readonly account: string
  readonly kind: LettersKind
  readonly filters: LettersFilters
  /** Undefined until it has come. */
  readonly answer: LettersAnswer | undefined
  readonly mayAct: boolean
  readonly change: ChangeFilters
}

/** The filters. A choice takes effect at once. */
export const LettersFilterForm = ({ account, kind, filters, answer, mayAct, change }: Props) => {
  const { causes, topics } = answer ?? { causes: [], topics: [] }
  const stateOptions = [
    ...optionsOf(
      filterStates,
      (each) => `${letterStateWords(each)}${answer ? ` (${count(answer.states[each])})` : ''}`,
    ),
    ['all', 'All'] as const,
  ]
  return (
    <form class="filters" aria-label={pageOf(kind).title} onSubmit={(event: Event) => event.preventDefault()}>
      <Select label="State" value={filters.state} options={stateOptions} onChange={(state) => change({ state })} />
      <Select
        label="Cause"
        value={filters.cause}
        options={[['', 'Any'], ...optionsOf(causes, causeWords)]}
        onChange={(cause) => change({ cause, reason: '' })}
      />
      {kind === 'dead-letters' && (
        <Select
          label="Topic"
          value={filters.topic}
          options={[['', 'Any'], ...optionsOf(topics, (topic) => topic)]}
          onChange={(topic) => change({ topic, reason: '' })}
        />
      )}
      {kind === 'dead-letters' && mayAct && (
        <Select
          label="Of"
          value={filters.unowned ? 'true' : ''}
          options={[
            ['', `account ${account}`],
            ['true', 'no known account'],
          ]}
          onChange={(next) => change({ unowned: next === 'true' })}
        />
      )}
      {filters.chat !== '' && (
        <div class="row">
          <button type="button" onClick={() => change({ chat: '' })}>
            Only chat {filters.chat} ✕
          </button>
        </div>
      )}
      {filters.reason !== '' && (
        <div class="row">
          <button type="button" onClick={() => change({ reason: '' })}>
            Only “{filters.reason}” ✕
          </button>
        </div>
      )}
    </form>
  )
}
