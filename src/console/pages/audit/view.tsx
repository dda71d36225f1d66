import { accountPath, base } from '../../browser/api.ts'
import { setText } from '../../browser/format.ts'
import { go } from '../../browser/navigation.ts'
import { usePages } from '../../browser/pages.ts'
import {
  Empty,
  Field,
  Folded,
  optionsOf,
  Said,
  Select,
  Table,
  Time,
  TroubleBox,
  valueOfField,
  Waiting,
} from '../../browser/parts.tsx'
import { Presets } from '../../browser/presets.tsx'
import { type PageProps, pathOf, queryOfSet } from '../../browser/route.ts'
import { actionCodes, actionWords } from '../../browser/words.ts'
import { auditDetailsOf } from './details.ts'
import type { AuditAnswer } from './page.ts'

const Details = ({ account, row }: { readonly account: string; readonly row: AuditAnswer['rows'][number] }) => {
  const { words, chat } = auditDetailsOf(row)
  return (
    <>
      <Said text={words} />
      {chat !== undefined && (
        <>
          {' '}
          ·{' '}
          <a href={`${base}${pathOf(account, 'conversations', '', chat)}`}>
            chat <bdi>{chat}</bdi>
          </a>
        </>
      )}
    </>
  )
}

/** The audit log: looks at personal data, and actions. Its filters are in the address. */
export const AuditPage = ({ account, query }: PageProps) => {
  const text = (name: string) => query.get(name) ?? ''
  const filters = {
    from: text('from'),
    to: text('to'),
    who: text('who'),
    about: text('about'),
    action: actionCodes.find((each) => each === text('action')) ?? '',
  }
  const asked = queryOfSet(filters)
  const path = accountPath(account, 'audit')
  const { rows, trouble, again, hasMore, more, moreTrouble } = usePages<AuditAnswer['rows'][number]>(path, asked)
  const change = (part: Partial<typeof filters>) =>
    go(pathOf(account, 'audit', queryOfSet({ ...filters, ...part }).toString()))
  const day = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      <input type="date" value={filters[name]} onChange={(event: Event) => change({ [name]: valueOfField(event) })} />
    </Field>
  )
  const people = [...new Set(rows?.map((row) => row.who))]
  return (
    <>
      <div class="page-head">
        <h1>Audit log</h1>
        <p class="muted">Access to personal data, and actions. Each was recorded first.</p>
        <p>
          <a class="button" download href={`${base}api/${path}.csv?${asked}`}>
            Save as CSV
          </a>
          <span class="muted"> at most 10,000 lines; the last one says if there are more</span>
        </p>
      </div>
      <form class="filters" aria-label="Audit log" onSubmit={(event: Event) => event.preventDefault()}>
        <Folded says={setText(asked)}>
          {day('from', 'From')} {day('to', 'To')}
          <Presets chosen={filters} choose={change} />
          <Field label="Who">
            <input
              type="search"
              data-search
              list="people"
              maxlength={255}
              autocomplete="off"
              value={filters.who}
              onChange={(event: Event) => change({ who: valueOfField(event).trim() })}
            />
          </Field>
          <datalist id="people">
            {people.map((who) => (
              <option key={who} value={who} />
            ))}
          </datalist>
          <Field label="About">
            <input
              type="search"
              maxlength={255}
              autocomplete="off"
              placeholder="an id, such as 1701"
              value={filters.about}
              onChange={(event: Event) => change({ about: valueOfField(event).trim() })}
            />
          </Field>
          <Select
            label="Action"
            value={filters.action}
            options={[['', 'All'], ...optionsOf(actionCodes, actionWords)]}
            onChange={(action) => change({ action })}
          />
          <div class="row">
            <button type="button" onClick={again}>
              Refresh
            </button>
            {asked.size > 0 && (
              <button type="button" onClick={() => go(pathOf(account, 'audit'))}>
                Clear
              </button>
            )}
          </div>
        </Folded>
      </form>
      <TroubleBox trouble={trouble} again={again} />
      {rows === undefined && trouble === undefined && <Waiting what="the audit log" />}
      {rows?.length === 0 ? (
        <Empty
          title={asked.size === 0 ? 'Nothing is recorded yet.' : 'Nothing is recorded that matches these filters.'}
        >
          Everyone who looks at personal data or acts appears here within seconds. A part of the name is enough in Who;
          About finds a whole id, and never an address.
        </Empty>
      ) : (
        rows && (
          <Table caption="Audit log, the newest first" head={['When', 'Who', 'Action', 'About']}>
            {rows.map((row) => (
              <tr key={row._id}>
                <th scope="row">
                  <Time at={row.at} />
                </th>
                <td>
                  <button type="button" class="link" onClick={() => change({ who: row.who })}>
                    <bdi>{row.who}</bdi>
                  </button>
                </td>
                <td>{actionWords(row.action)}</td>
                <td class="details">
                  <Details account={account} row={row} />
                </td>
              </tr>
            ))}
          </Table>
        )
      )}
      <TroubleBox trouble={moreTrouble} again={more} />
      {hasMore && (
        <p class="row">
          <button type="button" data-item onClick={more}>
            Older
          </button>
        </p>
      )}
    </>
  )
}
