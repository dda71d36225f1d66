import { useEffect, useState } from 'preact/hooks'
import { type Filters, noFilters, queryOf } from './filters.ts'
import { html } from './html.ts'
import { Check, Field, Select, valueOfField } from './parts.ts'
import { outcomeCodes, outcomeWords } from './words.ts'

type Props = { readonly filters: Filters; readonly onChange: (query: string) => void }

/** The filters. A choice takes effect at once, text when the user presses Enter. */
export const FilterForm = ({ filters, onChange }: Props) => {
  const [typed, setTyped] = useState(filters)
  // Compare the text: the filters are a new object in each render.
  useEffect(() => setTyped(filters), [queryOf(filters)])
  const change = (part: Partial<Filters>) => onChange(queryOf({ ...typed, ...part }))
  const type = (name: keyof Filters) => (event: Event) => setTyped({ ...typed, [name]: valueOfField(event) })
  const submit = (event: Event) => {
    event.preventDefault()
    change({})
  }
  const text = (name: 'agent' | 'widget', label: string) => html`
    <${Field} label=${label}><input value=${typed[name]} onInput=${type(name)} size="10" maxlength="255" /><//>
  `
  return html`
    <form class="filters" role="search" aria-label="Conversations" onSubmit=${submit}>
      <${Field} label="Chat or client id">
        <input type="search" data-search value=${typed.id} onInput=${type('id')} size="16" maxlength="255" placeholder="Press / to search" />
      <//>
      <${Select} label="State" value=${filters.state} onChange=${(state: Filters['state']) => change({ state })}
        options=${[['', 'Any'], ['open', 'Open'], ['over', 'Over']]} />
      <${Select} label="With" value=${filters.kind} onChange=${(kind: Filters['kind']) => change({ kind })}
        options=${[['', 'Anyone'], ['bot', 'Bot'], ['agent', 'Agent']]} />
      <${Select} label="Outcome" value=${filters.outcome} onChange=${(outcome: string) => change({ outcome })}
        options=${[['', 'Any'], ...outcomeCodes.map((code) => [code, outcomeWords(code)])]} />
      <${Field} label="Day">
        <input type="date" value=${filters.day} onChange=${(event: Event) => change({ day: valueOfField(event) })} />
      <//>
      ${text('agent', 'Agent id')} ${text('widget', 'Widget or channel id')}
      <div class="row">
        <${Check} label="Not answered" checked=${filters.waiting} onChange=${(waiting: boolean) => change({ waiting })} />
        <${Check} label="A reply failed" checked=${filters.failed} onChange=${(failed: boolean) => change({ failed })} />
      </div>
      <div class="row">
        <button type="submit" class="primary">Search</button>
        ${queryOf(filters) !== '' && html`<button type="button" onClick=${() => onChange(queryOf(noFilters))}>Clear</button>`}
      </div>
    </form>
  `
}
