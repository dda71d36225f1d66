import { useEffect, useState } from 'preact/hooks'
import { accountPath, post } from '../../browser/api.ts'
import { useAction } from '../../browser/hooks.ts'
import { cameBack } from '../../browser/navigation.ts'
import { Card, Field, Select, Time, TroubleBox, valueOfField } from '../../browser/parts.tsx'
import type { PageProps } from '../../browser/route.ts'
import { firstKind, kindOfTyped } from '../../browser/words.ts'
import { type Erasure, ErasuresCard, saveReceipt } from './erasures-card.tsx'
import type { PersonAnswer, PersonBody } from './person.ts'
import type { Asked, Chosen } from './person-choice.ts'
import { type Found, PersonView } from './person-view.tsx'

const kinds = [
  ['email', 'Email address'],
  ['phone', 'Phone number'],
  ['client', 'Client id'],
  ['visitor', 'Visitor number'],
  ['chat', 'Chat id'],
] as const satisfies ReadonlyArray<readonly [PersonBody['kind'], string]>

/** An erasure of a moment ago. `words`: who was erased. */
type Done = { readonly erasure: Erasure; readonly words: string }

const idOf = (done: Done | undefined) => done?.erasure.receipt._id ?? ''

const Erased = ({ done }: { readonly done: Done }) => {
  const save = () => saveReceipt(done.erasure)
  return (
    <div class="notice" role="status">
      <p>
        <strong>
          The erasure is in the log: <bdi>{done.words}</bdi>.
        </strong>{' '}
        Receipt <code>{idOf(done)}</code> is open below.
      </p>
      <button type="button" class="primary" onClick={save}>
        Save the receipt
      </button>
    </div>
  )
}

type Search = {
  readonly account: string
  readonly kind: Asked['kind']
  readonly typed: string
  readonly found: Found | undefined
  readonly choice: Chosen | undefined
}
/**
 * The search as the page was left, for the way back from a conversation. Addresses and the browser's history have no
 * personal data, so a reload forgets it.
 */
const last: { search?: Search } = {}
const searchBefore = (account: string) => (cameBack() && last.search?.account === account ? last.search : undefined)

/** Finds, exports and erases a person's data, and lists the receipts of erasures. */
export const PrivacyPage = ({ account }: PageProps) => {
  const [before] = useState(() => searchBefore(account))
  const [kind, setKind] = useState<Asked['kind']>(before?.kind ?? firstKind)
  const [typed, setTyped] = useState(before?.typed ?? '')
  const [choice, setChoice] = useState(before?.choice)
  const [done, setDone] = useState<Done>()
  const found = useAction(before?.found)
  useEffect(() => {
    last.search = { account, kind, typed, found: found.value, choice }
  }, [account, kind, typed, found.value, choice])
  const find = (asked: Asked) => {
    setDone(undefined)
    setChoice(undefined)
    return found.run(async () => {
      const answer = await post<PersonAnswer>(accountPath(account, 'person'), asked)
      return answer.ok ? { ok: true, value: { asked, person: answer.value } } : answer
    })
  }
  const erased = (erasure: Erasure, words: string) => {
    setDone({ erasure, words })
    found.clear()
  }
  const type = (event: Event) => {
    const text = valueOfField(event)
    setKind(kindOfTyped(kind, typed, text))
    setTyped(text)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void find({ kind, value: typed.trim() })
  }
  return (
    <>
      <div class="page-head">
        <h1>Privacy</h1>
        <p class="muted">What is stored of a person, and how it is given out or erased</p>
      </div>
      <Card title="Find a person" id="find">
        <form class="filters" role="search" aria-label="A person" onSubmit={submit}>
          <Select label="By" value={kind} options={kinds} onChange={setKind} />
          <Field label="Value">
            <input data-search required maxlength={255} autocomplete="off" value={typed} onInput={type} />
          </Field>
          <div class="row">
            <button type="submit" class="primary" disabled={found.isBusy}>
              {found.isBusy ? 'Searching…' : 'Find'}
            </button>
          </div>
        </form>
        <TroubleBox trouble={found.trouble} again={() => find({ kind, value: typed.trim() })} />
        {found.value?.person.erased.map(({ at, receipt }) => (
          <p key={receipt} role="status">
            Erased before: <Time at={at} />, receipt <code>{receipt}</code>. What is listed here came later, or is only
            ids, times and counts.
          </p>
        ))}
        {found.value !== undefined && (
          <PersonView
            key={JSON.stringify(found.value)}
            account={account}
            found={found.value}
            choice={choice}
            choose={setChoice}
            erased={erased}
          />
        )}
        {done !== undefined && <Erased done={done} />}
      </Card>
      <ErasuresCard key={idOf(done)} account={account} newest={idOf(done)} />
    </>
  )
}
