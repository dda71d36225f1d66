import type { ErasuresAnswer } from '../answers.ts'
import { accountPath, get, post, saveJson } from './api.ts'
import { isJsonObject, listAt, textAt } from './figures.ts'
import { count, counted } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { erasureWords, storedWords } from './words.ts'

const pollMs = 10_000

/** How much each store has. `of`: what the sum counts; without it, how many stores have something. */
const Counts = ({ value, of }: { readonly value: unknown; readonly of?: string }) => {
  const counts = isJsonObject(value) ? Object.entries(value).filter(([, size]) => size !== 0) : []
  if (counts.length === 0) return html`<span class="muted">nothing</span>`
  const sum = counts.reduce((all, [, size]) => all + Number(size), 0)
  return html`<details>
    <summary>${of === undefined ? `in ${counted(counts.length, 'store')}` : counted(sum, of)}</summary>
    <ul class="plain-list">${counts.map(([what, size]) => html`<li key=${what}><span>${storedWords(what)}</span><span class="number">${count(Number(size))}</span></li>`)}</ul>
  </details>`
}

type Erasure = ErasuresAnswer['erasures'][number]

const Row = ({ account, erasure }: { readonly account: string; readonly erasure: Erasure }) => {
  const checking = useAction<Erasure>()
  const { receipt, confirmedBy } = checking.value ?? erasure
  const id = textAt(receipt, '_id')
  const state = textAt(receipt, 'state')
  const remains = listAt(receipt, 'remains')
  const ticket = textAt(receipt, 'ticket')
  const checkedAt = textAt(receipt, 'checkedAt')
  const check = () => checking.run(() => post<Erasure>(accountPath(account, 'erasures', 'check'), { id }))
  return html`
    <tr>
      <th scope="row">
        <${Time} at=${textAt(receipt, 'requestedAt')} />
        <span class="sub"><code>${id}</code></span>
        ${ticket !== '' && html`<span class="sub">Ticket <bdi>${ticket}</bdi></span>`}
      </th>
      <td data-label="By"><bdi>${textAt(receipt, 'requestedBy')}</bdi></td>
      <td data-label="State" class="actions">
        <${Badge} tone=${state === 'complete' ? 'good' : 'warn'}>${state === 'published' ? 'sent' : state}<//>
        <span class="sub">${erasureWords(state)}</span>
        ${checkedAt !== '' && html`<span class="sub">Checked <${Time} at=${checkedAt} /></span>`}
        <button type="button" class="link" disabled=${checking.isBusy} onClick=${check}>${checking.isBusy ? 'Checking…' : 'Check now'}</button>
        <button type="button" class="link" onClick=${() => saveJson({ receipt, confirmedBy }, `receipt-${id}.json`)}>Save</button>
        <${TroubleBox} trouble=${checking.trouble} />
      </td>
      <td data-label="Still found">${checkedAt === '' ? html`<span class="muted">not checked yet</span>` : html`<${Counts} value=${receipt.stillFound} />`}</td>
      <td data-label="Confirmed by">${confirmedBy.length === 0 ? html`<span class="muted">nobody yet</span>` : confirmedBy.join(', ')}</td>
      <td data-label="Found then"><${Counts} of="document" value=${receipt.found} /></td>
      <td data-label="Stored elsewhere">
        ${
          remains.length === 0
            ? html`<span class="muted">nothing</span>`
            : html`<details><summary>${counted(remains.length, 'store')}</summary>
                <ul>${remains.map((each) => html`<li key=${textAt(each, 'where')}><strong>${textAt(each, 'where')}</strong>: ${textAt(each, 'until')}</li>`)}</ul>
              </details>`
        }
      </td>
    </tr>
  `
}

/** Receipts of erasures, with the consumer groups that have confirmed each. */
export const ErasuresCard = ({ account }: { readonly account: string }) => {
  const path = accountPath(account, 'erasures')
  const { value, trouble, again } = useLoad(path, (signal) => get<ErasuresAnswer>(path, signal), pollMs)
  return html`
    <${Card} title="Receipts" id="receipts">
      <${TroubleBox} trouble=${trouble} again=${again} />
      ${value === undefined && trouble === undefined && html`<${Waiting} what="receipts" />`}
      ${
        value?.erasures.length === 0
          ? html`<${Empty} title="Nobody has been erased yet.">A receipt proves that somebody was erased, and names nobody.<//>`
          : value &&
            html`<${Table}
              caption="Receipts, the newest first"
              head=${['Requested', 'By', 'State', 'Still found', 'Confirmed by', 'Found then', 'Stored elsewhere']}
              isLabelled
            >
              ${value.erasures.map((erasure) => html`<${Row} key=${textAt(erasure.receipt, '_id')} account=${account} erasure=${erasure} />`)}
            <//>`
      }
    <//>
  `
}
