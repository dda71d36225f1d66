import { useEffect, useState } from 'preact/hooks'
import { setText } from '../../browser/format.ts'
import { Check, Field, Folded, optionsOf, Select, valueOfField } from '../../browser/parts.tsx'
import { Presets } from '../../browser/presets.tsx'
import { outcomeCodes, outcomeWords, sortWords } from '../../browser/words.ts'
import { type Filters, type FormAsks, formAsks, noFilters, queryOf, sortCodes } from './filters.ts'
import { SavedFilters } from './saved-filters.tsx'

type Props = {
  readonly account: string
  readonly filters: Filters
  /** The email address or the number by which a person is searched, which the address does not have. */
  readonly person: string
  readonly mayFindPersons: boolean
  readonly onChange: (asks: FormAsks) => void
}

/** The value of a field for a day and a time: a day alone begins, or ends, with itself. */
const fieldTime = (text: string, time: string) => (text.length === 10 ? `${text}T${time}` : text)

/** The filters. A choice takes effect at once, text when the user presses Enter. */
export const FilterForm = ({ account, filters, person, mayFindPersons, onChange }: Props) => {
  const asked = person === '' ? filters : { ...filters, id: person }
  const [typed, setTyped] = useState(asked)
  // Compare the text: the filters are a new object in each render.
  useEffect(() => setTyped(asked), [queryOf(filters), person])
  const change = (part: Partial<Filters>) => onChange(formAsks(filters, typed, part))
  const choose = (query: string) => onChange({ query, person: '' })
  const type = (name: keyof Filters) => (event: Event) => setTyped({ ...typed, [name]: valueOfField(event) })
  const submit = (event: Event) => {
    event.preventDefault()
    change({})
  }
  const text = (name: 'agent' | 'widget', label: string) => (
    <Field label={label}>
      <input value={typed[name]} onInput={type(name)} size={10} maxlength={255} />
    </Field>
  )
  const time = (name: 'from' | 'to', label: string, edge: string) => (
    <Field label={label}>
      <input
        type="datetime-local"
        value={fieldTime(filters[name], edge)}
        onChange={(event: Event) => change({ [name]: valueOfField(event) })}
      />
    </Field>
  )
  const isMore =
    filters.outcome !== '' || filters.agent !== '' || filters.widget !== '' || filters.kind !== '' || filters.failed
  return (
    <form class="filters" role="search" aria-label="Conversations" onSubmit={submit}>
      <Field label={mayFindPersons ? 'Id, email address or phone' : 'Chat or client id'}>
        <input
          type="search"
          data-search
          autocomplete="off"
          value={typed.id}
          onInput={type('id')}
          size={14}
          maxlength={255}
          placeholder="Press / to search"
        />
      </Field>
      <Folded says={setText(new URLSearchParams(queryOf({ ...filters, id: '' })))}>
        {time('from', 'Began from', '00:00')} {time('to', 'Until', '23:59')}
        <Presets chosen={filters} choose={change} />
        <div class="row">
          <Check
            label="Left without an answer"
            checked={filters.unanswered}
            onChange={(unanswered) => change({ unanswered })}
          />
        </div>
        <Select
          label="State"
          value={filters.state}
          onChange={(state) => change({ state })}
          options={[
            ['', 'Any'],
            ['open', 'Open'],
            ['over', 'Ended'],
          ]}
        />
        <Select
          label="First"
          value={filters.sort}
          onChange={(sort) => change({ sort })}
          options={optionsOf(sortCodes, sortWords)}
        />
        <details class="more-filters" open={isMore}>
          <summary>More filters</summary>
          <div class="filters">
            <Select
              label="With"
              value={filters.kind}
              onChange={(kind) => change({ kind })}
              options={[
                ['', 'Anyone'],
                ['bot', 'Bot'],
                ['agent', 'Agent'],
              ]}
            />
            <Select
              label="Outcome"
              value={filters.outcome}
              onChange={(outcome) => change({ outcome })}
              options={[['', 'Any'], ...optionsOf(outcomeCodes, outcomeWords)]}
            />
            {text('agent', 'Agent id')} {text('widget', 'Widget or channel id')}
            <div class="row">
              <Check label="A reply failed" checked={filters.failed} onChange={(failed) => change({ failed })} />
            </div>
          </div>
        </details>
      </Folded>
      <div class="row">
        <button type="submit" class="primary">
          Search
        </button>
        {(queryOf(filters) !== '' || person !== '') && (
          <button type="button" onClick={() => choose(queryOf(noFilters))}>
            Clear
          </button>
        )}
        <SavedFilters account={account} query={queryOf(filters)} choose={choose} />
      </div>
    </form>
  )
}
