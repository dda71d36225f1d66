import { useState } from 'preact/hooks'
import { accountPath, post } from '../../browser/api.ts'
import { counted } from '../../browser/format.ts'
import { useAction } from '../../browser/hooks.ts'
import { Dialog, Field, TroubleBox, valueOfField } from '../../browser/parts.tsx'
import { partsWords, storedLine } from '../../browser/words.ts'
import type { Erasure } from './erasures-card.tsx'
import type { PersonAnswer } from './person.ts'
import { type Asked, type Chosen, choiceOf, type Part } from './person-choice.ts'

/** The user must type this word before an erasure. */
const typedWord = 'erase'

type Props = {
  readonly account: string
  readonly asked: Asked
  readonly parts: ReadonlyArray<Part>
  readonly chosen: Chosen
  /** What the server would erase by this choice. */
  readonly planned: PersonAnswer
  readonly close: () => void
  readonly erased: (erasure: Erasure) => void
}

/** Says who and what is erased, and asks for it. */
export const EraseDialog = ({ account, asked, parts, chosen, planned, close, erased }: Props) => {
  const [typed, setTyped] = useState('')
  const [ticket, setTicket] = useState('')
  const [backupDays, setBackupDays] = useState('')
  const erase = useAction<Erasure>()
  const submit = (event: Event) => {
    event.preventDefault()
    void erase.run(async () => {
      const body = {
        ...asked,
        ...choiceOf(parts, chosen),
        confirm: planned.confirm,
        ...(ticket !== '' && { ticket }),
        ...(backupDays !== '' && { backupDays: Number(backupDays) }),
      }
      const result = await post<Erasure>(accountPath(account, 'person', 'erase'), body)
      if (result.ok) erased(result.value)
      return result
    })
  }
  const those = (isChosen: boolean) => parts.filter((_, i) => chosen.has(i) === isChosen)
  const others = those(false).filter(({ erasedAt }) => erasedAt === undefined)
  return (
    <Dialog
      title={`Erase ${parts.length > 0 ? counted(planned.chats.length, 'conversation') : 'what is stored'} for good?`}
      close={close}
    >
      <dl class="consequences">
        <div>
          <dt>Who is erased</dt>
          <dd>
            <bdi>{parts.length > 0 ? partsWords(those(true)) : asked.value}</bdi>
          </dd>
        </div>
        <div>
          <dt>What goes</dt>
          <dd>
            Everything personal, such as names, addresses and messages, in: {storedLine(planned.stored)}. Ids, times and
            counts stay.
          </dd>
        </div>
        {others.length > 0 && (
          <div>
            <dt>Who is not erased</dt>
            <dd>
              <bdi>{partsWords(others)}</bdi>
            </dd>
          </div>
        )}
      </dl>
      <p>This cannot be undone. The audit log records it.</p>
      <form onSubmit={submit}>
        <div class="two">
          <Field label="Ticket (optional)">
            <input
              autocomplete="off"
              maxlength={64}
              placeholder="GDPR-117"
              title="For the receipt and the audit log; no names"
              value={ticket}
              onInput={(event: Event) => setTicket(valueOfField(event).trim())}
            />
          </Field>
          <Field label="Backups are kept for days (optional)">
            <input
              type="number"
              min="1"
              max={99_999}
              step="1"
              placeholder="30"
              value={backupDays}
              onInput={(event: Event) => setBackupDays(valueOfField(event))}
            />
          </Field>
        </div>
        <Field
          label={
            <>
              Type <code>{typedWord}</code> to confirm
            </>
          }
        >
          <input
            autocomplete="off"
            autocapitalize="none"
            value={typed}
            onInput={(event: Event) => setTyped(valueOfField(event))}
          />
        </Field>
        <TroubleBox trouble={erase.trouble} />
        <div class="row">
          <button
            type="submit"
            class="primary danger"
            disabled={typed.trim().toLowerCase() !== typedWord || erase.isBusy}
          >
            {erase.isBusy ? 'Erasing…' : 'Erase for good'}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
