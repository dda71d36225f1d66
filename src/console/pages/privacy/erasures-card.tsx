import { useEffect, useState } from 'preact/hooks'
import { accountPath, get, post, type Result, saveJson } from '../../browser/api.ts'
import { count } from '../../browser/format.ts'
import { useAction, useLoad } from '../../browser/hooks.ts'
import { Badge, Card, Empty, Field, Table, Time, TroubleBox, valueOfField, Waiting } from '../../browser/parts.tsx'
import { confirmedWords, erasureWords } from '../../browser/words.ts'
import type { ErasuresAnswer } from './erasures.ts'
import { factsOf, isReceiptOf, receiptFile, receiptFileName, sectionsOf, verdictOf } from './receipt.ts'

const pollMs = 10_000

export type Erasure = ErasuresAnswer['erasures'][number]

export const saveReceipt = ({ receipt, confirmedBy }: Erasure) =>
  saveJson(receiptFile(receipt, confirmedBy), receiptFileName(receipt))

/** The verdict, who must act on what, what goes by itself, and what was cleaned. */
const Stores = ({ receipt }: Pick<Erasure, 'receipt'>) => (
  <>
    <p role="status">
      <strong>{verdictOf(receipt)}</strong>
    </p>
    {sectionsOf(receipt).map(({ title, caption, head, numbers = [], rows }) => (
      <section key={title}>
        <h3>{title}</h3>
        <Table caption={caption} head={head} numbers={numbers} isLabelled>
          {rows.map(([first = '', ...others]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {others.map((text, i) => (
                <td
                  key={head[i + 1]}
                  class={numbers.includes(head[i + 1] ?? '') ? 'number' : ''}
                  data-label={head[i + 1]}
                >
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </section>
    ))}
  </>
)

/** The receipt as a document of its own, for paper only. */
const Paper = ({ receipt, confirmedBy }: Erasure) => (
  <article class="paper">
    <h1>Receipt of an erasure</h1>
    <dl>
      {factsOf(receipt, confirmedBy).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
    <p>
      <strong>{verdictOf(receipt)}</strong>
    </p>
    {sectionsOf(receipt).map(({ title, head, rows }) => (
      <section key={title}>
        <h2>{title}</h2>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([first = '', ...others]) => (
              <tr key={first}>
                <th scope="row">{first}</th>
                {others.map((text, i) => (
                  <td key={head[i + 1]}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    ))}
  </article>
)

type RowProps = {
  readonly account: string
  readonly erasure: Erasure
  readonly isNewest: boolean
  readonly print: (erasure: Erasure) => void
}

const Row = ({ account, erasure, isNewest, print }: RowProps) => {
  const [isOpen, setOpen] = useState(isNewest)
  const checking = useAction<Erasure>()
  const { receipt, confirmedBy } = checking.value ?? erasure
  const { _id: id, state, ticket, checkedAt } = receipt
  const check = async (): Promise<Result<Erasure>> => {
    const checked = await post<Erasure>(accountPath(account, 'erasures', 'check'), { id })
    if (checked.ok) setOpen(true)
    return checked
  }
  /** A receipt that was never checked does not say what is left, so it is checked first. */
  const save = () => {
    if (checkedAt !== undefined || state === 'started') return saveReceipt({ receipt, confirmedBy })
    void checking.run(async () => {
      const checked = await check()
      if (checked.ok) saveReceipt(checked.value)
      return checked
    })
  }
  return (
    <>
      <tr>
        <th scope="row">
          <Time at={receipt.requestedAt} />
          <span class="sub">
            <code>{id}</code>
          </span>
          {ticket !== undefined && (
            <span class="sub">
              Ticket <bdi>{ticket}</bdi>
            </span>
          )}
        </th>
        <td data-label="By">
          <bdi>{receipt.requestedBy}</bdi>
        </td>
        <td data-label="State" class="actions">
          <Badge tone={state === 'complete' ? 'good' : 'warn'}>{confirmedWords(state, confirmedBy.length)}</Badge>
          <span class="sub">{erasureWords(state)}</span>
          <span class="sub">
            {checkedAt === undefined ? (
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
          <button type="button" class="link" onClick={() => print({ receipt, confirmedBy })}>
            Print
          </button>
          <TroubleBox trouble={checking.trouble} />
        </td>
        <td data-label="Confirmed by">
          {confirmedBy.length === 0 ? <span class="muted">nobody yet</span> : confirmedBy.join(', ')}
        </td>
      </tr>
      {isOpen && (
        <tr>
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
  const [printed, setPrinted] = useState<Erasure>()
  useEffect(() => {
    if (printed === undefined) return
    window.print()
    setPrinted(undefined)
  }, [printed])
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
              key={erasure.receipt._id}
              account={account}
              erasure={erasure}
              isNewest={erasure.receipt._id === newest}
              print={setPrinted}
            />
          ))}
        </Table>
      )}
      {printed !== undefined && <Paper {...printed} />}
    </Card>
  )
}
