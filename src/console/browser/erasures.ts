import type { ErasuresAnswer } from '../answers.ts'
import { accountPath, get, saveJson } from './api.ts'
import { isObject, listAt, textAt } from './figures.ts'
import { count, counted } from './format.ts'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { erasureWords } from './words.ts'

const pollMs = 10_000

const Counts = ({ value }: { readonly value: unknown }) => {
  const counts = isObject(value) ? Object.entries(value).filter(([, size]) => size !== 0) : []
  if (counts.length === 0) return html`<span class="muted">nothing</span>`
  return html`<ul class="plain-list">${counts.map(([what, size]) => html`<li key=${what}><span>${what}</span><span class="number">${count(Number(size))}</span></li>`)}</ul>`
}

const Row = ({ erasure: { receipt, confirmedBy } }: { readonly erasure: ErasuresAnswer['erasures'][number] }) => {
  const state = textAt(receipt, 'state')
  const remains = listAt(receipt, 'remains')
  return html`
    <tr>
      <th scope="row">
        <${Time} at=${textAt(receipt, 'requestedAt')} />
        <span class="sub"><code>${textAt(receipt, '_id')}</code></span>
      </th>
      <td><bdi>${textAt(receipt, 'requestedBy')}</bdi></td>
      <td><${Badge} tone=${state === 'complete' ? 'good' : 'warn'}>${state}<//><span class="sub">${erasureWords(state)}</span></td>
      <td>${confirmedBy.length === 0 ? html`<span class="muted">nobody yet</span>` : confirmedBy.join(', ')}</td>
      <td><${Counts} value=${receipt.found} /></td>
      <td>
        ${
          remains.length === 0
            ? html`<span class="muted">nothing</span>`
            : html`<details><summary>${counted(remains.length, 'store')}</summary>
                <ul>${remains.map((each) => html`<li key=${textAt(each, 'where')}><strong>${textAt(each, 'where')}</strong>: ${textAt(each, 'until')}</li>`)}</ul>
              </details>`
        }
      </td>
      <td>
        <button type="button" class="link" onClick=${() => saveJson({ receipt, confirmedBy }, `receipt-${textAt(receipt, '_id')}.json`)}>Save</button>
      </td>
    </tr>
  `
}

/** Receipts of erasures, with the consumer groups that have confirmed each. */
export const ErasuresCard = ({ account }: { readonly account: string }) => {
  const path = accountPath(account, 'erasures')
  const { value, trouble, again } = useLoad(path, (signal) => get<ErasuresAnswer>(path, signal), pollMs)
  return html`
    <${Card} title="Receipts" id="receipts" aside=${html`<button type="button" onClick=${again}>Check now</button>`}>
      <${TroubleBox} trouble=${trouble} again=${again} />
      ${value === undefined && trouble === undefined && html`<${Waiting} what="receipts" />`}
      ${
        value?.erasures.length === 0
          ? html`<${Empty} title="Nobody has been erased yet.">A receipt proves that somebody was erased, and names nobody.<//>`
          : value &&
            html`<${Table}
              caption="Receipts, the newest first"
              head=${['Requested', 'By', 'State', 'Confirmed by', 'Found then', 'Still stored elsewhere', 'Receipt']}
            >
              ${value.erasures.map((erasure) => html`<${Row} key=${textAt(erasure.receipt, '_id')} erasure=${erasure} />`)}
            <//>`
      }
    <//>
  `
}
