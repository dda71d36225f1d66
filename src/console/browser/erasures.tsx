import { useEffect, useState } from 'preact/hooks'
import type { ErasuresAnswer } from '../pages/privacy/erasures.ts'
import { accountPath, get, post, type Result, saveJson } from './api.ts'
import { textAt } from './figures.ts'
import { count } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { Badge, Card, Empty, Field, Table, Time, TroubleBox, valueOfField, Waiting } from './parts.tsx'
import { cleanedStores, isReceiptOf, receiptFile, receiptFileName, remainingStores, verdictOf } from './receipt.ts'
import { confirmedWords, erasureWords } from './words.ts'

const pollMs = 10_000

export type Erasure = ErasuresAnswer['erasures'][number]

export const saveReceipt = ({ receipt, confirmedBy }: Erasure) =>
  saveJson(receiptFile(receipt, confirmedBy), receiptFileName(receipt))

/** The verdict, who must act on what, what goes by itself, and what was cleaned. */
const Stores = ({ receipt }: Pick<Erasure, 'receipt'>) => {
  const remaining = remainingStores(receipt)
  const acts = remaining.filter(({ mustAct }) => mustAct)
  const byItself = remaining.filter(({ mustAct }) => !mustAct)
  return (
    <>
      <p role="status">
        <strong>{verdictOf(receipt)}</strong>
      </p>
      {acts.length > 0 && (
        <>
          <h3>Somebody must act</h3>
          <Table caption="What somebody must act on" head={['What', 'Until', 'Who must act']} isLabelled>
            {acts.map(({ store, until, who }) => (
              <tr key={store}>
                <th scope="row">{store}</th>
                <td data-label="Until">{until}</td>
                <td data-label="Who must act">{who}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {byItself.length > 0 && (
        <>
          <h3>Goes by itself</h3>
          <Table caption="What goes by itself" head={['What', 'Until']} isLabelled>
            {byItself.map(({ store, until }) => (
              <tr key={store}>
                <th scope="row">{store}</th>
                <td data-label="Until">{until}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
      <h3>Erased</h3>
      <Table caption="What was erased" head={['What', 'Documents then', 'Now']} numbers={['Documents then']} isLabelled>
        {cleanedStores(receipt).map(({ store, before, words }) => (
          <tr key={store}>
            <th scope="row">{store}</th>
            <td class="number" data-label="Documents then">
              {before === undefined ? '' : count(before)}
            </td>
            <td data-label="Now">{words}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}

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
  const check = async (): Promise<Result<Erasure>> => {
    const checked = await post<Erasure>(accountPath(account, 'erasures', 'check'), { id })
    if (checked.ok) setOpen(true)
    return checked
  }
  /** A receipt that was never checked does not say what is left, so it is checked first. */
  const save = () => {
    if (checkedAt !== '' || state === 'started') return saveReceipt({ receipt, confirmedBy })
    void checking.run(async () => {
      const checked = await check()
      if (checked.ok) saveReceipt(checked.value)
      return checked
    })
  }
  return (
    <>
      <tr class={printed}>
        <th scope="row">
          <Time at={textAt(receipt, 'requestedAt')} />
          <span class="sub">
            <code>{id}</code>
          </span>
          {ticket !== '' && (
            <span class="sub">
              Ticket <bdi>{ticket}</bdi>
            </span>
          )}
        </th>
        <td data-label="By">
          <bdi>{textAt(receipt, 'requestedBy')}</bdi>
        </td>
        <td data-label="State" class="actions">
          <Badge tone={state === 'complete' ? 'good' : 'warn'}>{confirmedWords(state, confirmedBy.length)}</Badge>
          <span class="sub">{erasureWords(state)}</span>
          <span class="sub">
            {checkedAt === '' ? (
              'not checked yet'
            ) : (
              <>
                Checked <Time at={checkedAt} />
              </>
            )}
          </span>
          <button type="button" class="link" disabled={checking.isBusy} onClick={() => checking.run(check)}>
            {checking.isBusy ? 'Checking…' : 'Check now'}
          </button>
          <button type="button" class="link" disabled={checking.isBusy} onClick={save}>
            Save
          </button>
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            What remains
          </button>
          <button type="button" class="link" onClick={print}>
            Print
          </button>
          <TroubleBox trouble={checking.trouble} />
        </td>
        <td data-label="Confirmed by">
          {confirmedBy.length === 0 ? <span class="muted">nobody yet</span> : confirmedBy.join(', ')}
        </td>
      </tr>
      {isOpen && (
        <tr class={printed}>
          <td colspan={4}>
            <Stores receipt={receipt} />
          </td>
        </tr>
      )}
    </>
  )
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
  const [sought, setSought] = useState('')
  const all = value?.erasures ?? []
  const shown = all.filter(({ receipt }) => isReceiptOf(receipt, sought))
  return (
    <Card title="Receipts" id="receipts">
      <TroubleBox trouble={trouble} again={again} />
      {value === undefined && trouble === undefined && <Waiting what="receipts" />}
      {value !== undefined && all.length === 0 && (
        <Empty title="Nobody has been erased yet.">A receipt proves that somebody was erased, and names nobody.</Empty>
      )}
      {all.length > 0 && (
        <Field label="Ticket, date or receipt">
          <input
            type="search"
            autocomplete="off"
            maxlength={64}
            placeholder="GDPR-117"
            value={sought}
            onInput={(event: Event) => setSought(valueOfField(event))}
          />
        </Field>
      )}
      {value?.cut && <p class="muted">The newest {count(all.length)} receipts; older ones are not in this list.</p>}
      {all.length > 0 && shown.length === 0 && (
        <Empty title="No receipt matches.">
          Type a part of the ticket or of the receipt’s id, or a day: 2026-11-26 or 26 Nov 2026.
        </Empty>
      )}
      {shown.length > 0 && (
        <Table caption="Receipts, the newest first" head={['Requested', 'By', 'State', 'Confirmed by']} isLabelled>
          {shown.map((erasure) => (
            <Row
              key={textAt(erasure.receipt, '_id')}
              account={account}
              erasure={erasure}
              isNewest={textAt(erasure.receipt, '_id') === newest}
            />
          ))}
        </Table>
      )}
    </Card>
  )
}
