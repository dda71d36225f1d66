import { useState } from 'preact/hooks'
import { Select } from '../../browser/parts.tsx'

type Saved = { readonly name: string; readonly query: string }

const place = (account: string) => `console-filters/${account}`
const maxSaved = 20

const isSaved = (value: unknown): value is Saved =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'query' in value &&
  typeof value.name === 'string' &&
  typeof value.query === 'string'

const read = (account: string): ReadonlyArray<Saved> => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(place(account)) ?? '[]')
    return Array.isArray(value) ? value.filter(isSaved) : []
  } catch {
    return []
  }
}

type Props = { readonly account: string; readonly query: string; readonly choose: (query: string) => void }

/** Filters that this browser keeps under a name. */
export const SavedFilters = ({ account, query, choose }: Props) => {
  const [saved, setSaved] = useState(() => read(account))
  const keep = (next: ReadonlyArray<Saved>) => {
    setSaved(next)
    try {
      localStorage.setItem(place(account), JSON.stringify(next))
    } catch {
      // Without storage they last until the page is closed.
    }
  }
  const chosen = saved.find((each) => each.query === query)
  const save = () => {
    const name = prompt('Name of these filters')?.trim().slice(0, 60)
    if (name) keep([{ name, query }, ...saved.filter((each) => each.name !== name)].slice(0, maxSaved))
  }
  return (
    <>
      {saved.length > 0 && (
        <Select
          label="Saved filters"
          value={chosen?.query ?? ''}
          options={[['', '–'], ...saved.map((each) => [each.query, each.name] as const)]}
          onChange={choose}
        />
      )}
      {query !== '' &&
        (chosen === undefined ? (
          <button type="button" onClick={save}>
            Save filters
          </button>
        ) : (
          <button type="button" onClick={() => keep(saved.filter((each) => each !== chosen))}>
            Delete saved
          </button>
        ))}
    </>
  )
}
