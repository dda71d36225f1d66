import { useEffect, useState } from 'preact/hooks'
import { Check, Field, optionsOf, Select, valueOfField } from '../../browser/parts.tsx'
import { Presets } from '../../browser/presets.tsx'
import { outcomeCodes, outcomeWords, sortWords } from '../../browser/words.ts'
import { changed, type Filters, noFilters, queryOf, sortCodes } from './filters.ts'
import { SavedFilters } from './saved-filters.tsx'

type Props = { readonly account: string; readonly filters: Filters; readonly onChange: (query: string) => void }

/** The value of a field for a day and a time: a day alone begins, or ends, with itself. */
const fieldTime = (text: string, time: string) => (text.length === 10 ? `${text}T${time}` : text)

/** The filters. A choice takes effect at once, text when the user presses Enter. */
export const FilterForm = ({ account, filters, onChange }: Props) => {
  const [typed, setTyped] = useState(filters)
  // Compare the text: the filters are a new object in each render.
  useEffect(() => setTyped(filters), [queryOf(filters)])
  const change = (part: Partial<Filters>) => onChange(queryOf(changed(typed, part)))
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
      <Field label="Chat or client id">
        <input
          type="search"
          data-search
          value={typed.id}
          onInput={type('id')}
          size={14}
          maxlength={255}
          placeholder="Press / to search"
        />
      </Field>
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
      <div class="row">
        <button type="submit" class="primary">
          Search
        </button>
        {queryOf(filters) !== '' && (
          <button type="button" onClick={() => onChange(queryOf(noFilters))}>
            Clear
          </button>
        )}
        <SavedFilters account={account} query={queryOf(filters)} choose={onChange} />
      </div>
    </form>
  )
}
