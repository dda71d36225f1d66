import { accountPath } from './api.ts'
import { textAt } from './figures.ts'
import { html } from './html.ts'
import { go } from './navigation.ts'
import { usePages } from './pages.ts'
import { Empty, Said, Select, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { type PageProps, pathOf } from './route.ts'
import { actionCodes, actionWords } from './words.ts'

/** The audit log: looks at personal data, and actions. */
export const AuditPage = ({ account, query }: PageProps) => {
  const action = actionCodes.find((each) => each === query.get('action')) ?? ''
  const { rows, trouble, again, hasMore, more, moreTrouble } = usePages<unknown>(
    accountPath(account, 'audit'),
    new URLSearchParams(action === '' ? {} : { action }),
  )
  return html`
    <div class="page-head">
      <h1>Audit log</h1>
      <p class="muted">Access to personal data, and actions. Each was recorded first.</p>
    </div>
    <form class="filters" aria-label="Audit log" onSubmit=${(event: Event) => event.preventDefault()}>
      <${Select}
        label="Action"
        value=${action}
        options=${[['', 'All'], ...actionCodes.map((each) => [each, actionWords(each)])]}
        onChange=${(next: string) => go(pathOf(account, 'audit', next === '' ? '' : `action=${next}`))}
      />
      <div class="row"><button type="button" onClick=${again}>Refresh</button></div>
    </form>
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${rows === undefined && trouble === undefined && html`<${Waiting} what="the audit log" />`}
    ${
      rows?.length === 0
        ? html`<${Empty} title="Nothing is recorded yet.">Everyone who looks at personal data or acts appears here within seconds.<//>`
        : rows &&
          html`<${Table} caption="Audit log, the newest first" head=${['When', 'Who', 'What', 'Details']}>
            ${rows.map(
              (row) => html`<tr key=${textAt(row, '_id')}>
                <th scope="row"><${Time} at=${textAt(row, 'at')} /></th>
                <td><bdi>${textAt(row, 'who')}</bdi></td>
                <td>${actionWords(textAt(row, 'action'))}</td>
                <td><code><${Said} text=${textAt(row, 'detail')} /></code></td>
              </tr>`,
            )}
          <//>`
    }
    <${TroubleBox} trouble=${moreTrouble} again=${more} />
    ${hasMore && html`<p class="row"><button type="button" data-item onClick=${more}>Older</button></p>`}
  `
}
