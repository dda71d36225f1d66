import { useEffect, useState } from 'preact/hooks'
import type { ErasuresAnswer } from '../answers.ts'
import { accountPath, get, post, saveJson } from './api.ts'
import { textAt } from './figures.ts'
import { count } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { cleanedStores, receiptFile, remainingStores, stillFoundIn } from './receipt.ts'
import { confirmedWords, erasureWords } from './words.ts'

const pollMs = 10_000

type Erasure = ErasuresAnswer['erasures'][number]

/** What was cleaned, and what remains where until when, in words. */
const Stores = ({ receipt, confirmedBy }: Erasure) => html`
  <h3>Erased</h3>
  <${Table} caption="What was erased, and what the last check found" head=${['Store', 'Documents then', 'Now']} numbers=${['Documents then']} isLabelled>
    ${cleanedStores(receipt).map(
      ({ store, before, words }) => html`<tr key=${store}>
        <th scope="row">${store}</th>
        <td class="number" data-label="Documents then">${before === undefined ? '' : count(before)}</td>
        <td data-label="Now">${words}</td>
      </tr>`,
    )}
  <//>
  ${
    stillFoundIn(receipt).length > 0 &&
    html`<h3>Still found by the last check</h3>
    <${Table} caption="What the last check still found" head=${['Where', 'Count', 'What is counted']} numbers=${['Count']} isLabelled>
      ${stillFoundIn(receipt).map(
        ({ what, count: size, means }) => html`<tr key=${what}>
          <th scope="row">${what}</th>
          <td class="number" data-label="Count">${count(size)}</td>
          <td data-label="What is counted">${means}</td>
        </tr>`,
      )}
    <//>`
  }
  <h3>What remains elsewhere</h3>
  <${Table} caption="What remains, until when, and who must act" head=${['Store', 'Until', 'Who must act']} isLabelled>
    ${remainingStores(receipt, confirmedBy).map(
      ({ store, until, who }) => html`<tr key=${store}>
        <th scope="row">${store}</th>
        <td data-label="Until">${until}</td>
        <td data-label="Who must act">${who}</td>
      </tr>`,
    )}
  <//>
`

type RowProps = { readonly account: string; readonly erasure: Erasure; readonly isNewest: boolean }

const Row = ({ account, erasure, isNewest }: RowProps) => {
  const [isOpen, setOpen] = useState(isNewest)
  const checking = useAction<Erasure>()
  const { receipt, confirmedBy } = checking.value ?? erasure
  const id = textAt(receipt, '_id')
  const state = textAt(receipt, 'state')
  const ticket = textAt(receipt, 'ticket')
  const checkedAt = textAt(receipt, 'checkedAt')
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    if (!isPrinting) return
    window.print()
    setPrinting(false)
  }, [isPrinting])
  const print = () => {
    setOpen(true)
    setPrinting(true)
  }
  const printed = isPrinting ? 'printed' : ''
  const check = () => checking.run(() => post<Erasure>(accountPath(account, 'erasures', 'check'), { id }))
  return html`
    <tr class=${printed}>
      <th scope="row">
        <${Time} at=${textAt(receipt, 'requestedAt')} />
        <span class="sub"><code>${id}</code></span>
        ${ticket !== '' && html`<span class="sub">Ticket <bdi>${ticket}</bdi></span>`}
      </th>
      <td data-label="By"><bdi>${textAt(receipt, 'requestedBy')}</bdi></td>
      <td data-label="State" class="actions">
        <${Badge} tone=${state === 'complete' ? 'good' : 'warn'}>${confirmedWords(state, confirmedBy.length)}<//>
        <span class="sub">${erasureWords(state)}</span>
        <span class="sub">${checkedAt === '' ? 'not checked yet' : html`Checked <${Time} at=${checkedAt} />`}</span>
        <button type="button" class="link" disabled=${checking.isBusy} onClick=${check}>${checking.isBusy ? 'Checking…' : 'Check now'}</button>
        <button type="button" class="link" onClick=${() => saveJson(receiptFile(receipt, confirmedBy), `receipt-${id}.json`)}>Save</button>
        <button type="button" class="link" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>What remains</button>
        <button type="button" class="link" onClick=${print}>Print</button>
        <${TroubleBox} trouble=${checking.trouble} />
      </td>
      <td data-label="Confirmed by">${confirmedBy.length === 0 ? html`<span class="muted">nobody yet</span>` : confirmedBy.join(', ')}</td>
    </tr>
    ${isOpen && html`<tr class=${printed}><td colspan="4"><${Stores} receipt=${receipt} confirmedBy=${confirmedBy} /></td></tr>`}
  `
}

type Props = {
  readonly account: string
  /** The id of an erasure of a moment ago, or nothing. Its receipt is open. */
  readonly newest: string
}

/** Receipts of erasures, with the consumer groups that have confirmed each. */
export const ErasuresCard = ({ account, newest }: Props) => {
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
              head=${['Requested', 'By', 'State', 'Confirmed by']}
              isLabelled
            >
              ${value.erasures.map((erasure) => html`<${Row} key=${textAt(erasure.receipt, '_id')} account=${account} erasure=${erasure} isNewest=${textAt(erasure.receipt, '_id') === newest} />`)}
            <//>`
      }
    <//>
  `
}
