import { useState } from 'preact/hooks'
import type { PersonAnswer, PersonBody } from '../answers.ts'
import { accountPath, post, postForFile } from './api.ts'
import { Chats } from './chats.ts'
import { count, counted } from './format.ts'
import { useAction } from './hooks.ts'
import { html } from './html.ts'
import { Check, Dialog, Empty, Field, TroubleBox, valueOfField } from './parts.ts'
import { identityWords, joinedWords, maxChatsOfOne, nobodyAdvice, nobodyWords, storedWords } from './words.ts'

/** Who was searched for. */
export type Asked = {
  readonly kind: PersonBody['kind']
  readonly value: string
  readonly also?: ReadonlyArray<string>
}
export type Found = { readonly asked: Asked; readonly person: PersonAnswer }

type Props = {
  readonly account: string
  readonly found: Found
  readonly find: (asked: Asked) => void
  readonly isBusy: boolean
  readonly erased: () => void
}

/** The user must type this word before an erasure. */
const typedWord = 'erase'

const EraseDialog = ({
  account,
  found,
  close,
  erased,
}: Pick<Props, 'account' | 'found' | 'erased'> & { readonly close: () => void }) => {
  const [typed, setTyped] = useState('')
  const [ticket, setTicket] = useState('')
  const [backupDays, setBackupDays] = useState('')
  const erase = useAction<unknown>()
  const { asked, person } = found
  const needed = `${typedWord} ${asked.value}`
  const submit = (event: Event) => {
    event.preventDefault()
    void erase.run(async () => {
      const body = {
        ...asked,
        confirm: person.confirm,
        ...(ticket !== '' && { ticket }),
        ...(backupDays !== '' && { backupDays: Number(backupDays) }),
      }
      const result = await post(accountPath(account, 'person', 'erase'), body)
      if (result.ok) {
        erased()
        close()
      }
      return result
    })
  }
  return html`
    <${Dialog} title="Erase this person?" close=${close}>
      <p>
        Everything personal of ${counted(person.chats.length, 'chat')} and ${counted(person.clients.length, 'client')} is erased in
        the log, the views and the archive. The receipt says what remains elsewhere, and until when. This cannot be undone.
      </p>
      <form onSubmit=${submit}>
        <${Field} label="Ticket number, for the receipt and the audit log (optional; no names)">
          <input autocomplete="off" maxlength="64" placeholder="GDPR-117" value=${ticket} onInput=${(event: Event) => setTicket(valueOfField(event).trim())} />
        <//>
        <${Field} label="Days for which backups are kept, for the receipt (optional)">
          <input type="number" min="1" max=${99_999} step="1" placeholder="30" value=${backupDays} onInput=${(event: Event) => setBackupDays(valueOfField(event))} />
        <//>
        <${Field} label=${html`Type <code><bdi>${needed}</bdi></code> to confirm`}>
          <input autocomplete="off" value=${typed} onInput=${(event: Event) => setTyped(valueOfField(event))} />
        <//>
        <${TroubleBox} trouble=${erase.trouble} />
        <div class="row">
          <button type="submit" class="primary danger" disabled=${typed !== needed || erase.isBusy}>${erase.isBusy ? 'Erasing…' : 'Erase for good'}</button>
          <button type="button" onClick=${close}>Cancel</button>
        </div>
      </form>
    <//>
  `
}

type Likely = PersonAnswer['likely'][number]

/** Another who may be the same person: by which ids, and what both have. */
const LikelyRow = ({
  account,
  likely: { ids, via },
  checked,
  onChange,
}: {
  readonly account: string
  readonly likely: Likely
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}) => {
  const chats = ids.filter(({ kind }) => kind === 'chat')
  const others = ids.filter(({ kind }) => kind !== 'chat').map(({ kind, value }) => `${kind} ${value}`)
  const name = others.length > 0 ? others.join(', ') : counted(chats.length, 'chat')
  return html`
    <li>
      <${Check} label=${html`<bdi>${name.charAt(0).toUpperCase()}${name.slice(1)}</bdi>`} checked=${checked} onChange=${onChange} />
      <span class="sub">
        Same ${via.map(({ kind, value }) => `${identityWords(kind)} ${value}`).join(', ')}.
        ${chats.length > 0 && html` ${chats.length === 1 ? 'Chat' : 'Chats'} <${Chats} account=${account} chats=${chats.map(({ value }) => value)} />`}
      </span>
    </li>
  `
}

/** The person's chats and clients, likely links to more, and what is stored about the person. */
export const PersonView = ({ account, found, find, isBusy, erased }: Props) => {
  const { asked, person } = found
  const [asks, setAsks] = useState(false)
  const [isErased, setErased] = useState(false)
  const file = useAction<undefined>()
  const save = () =>
    file.run(() => postForFile(accountPath(account, 'person', 'export'), asked, `person-${asked.kind}.json`))
  // The answer does not name those who are included already.
  const [included, setIncluded] = useState<ReadonlyArray<Likely>>([])
  const include = (likely: Likely) => (checked: boolean) => {
    const others = included.filter((each) => each.also !== likely.also && isIncluded(each))
    const next = checked ? [...others, likely] : others
    setIncluded(next)
    find({ ...asked, also: next.map((each) => each.also) })
  }
  // While the search runs, what was chosen; after it, what its answer includes.
  const isIncluded = ({ also }: Likely) =>
    isBusy ? included.some((each) => each.also === also) : (asked.also ?? []).includes(also)
  const offered = [...included, ...person.likely.filter((each) => !included.some((one) => one.also === each.also))]
  if (isErased) return html`<p class="notice" role="status">The erasure is in the log. Its receipt is below.</p>`
  if (person.stored.every(({ count: documents }) => documents === 0))
    return html`<${Empty} title=${nobodyWords(asked.kind)}>${nobodyAdvice(asked.kind, asked.value)}<//>`
  return html`
    ${
      person.chats.length > maxChatsOfOne &&
      html`<p class="notice">
        ${counted(person.chats.length, 'chat')} are many for one person. Others may share an id, as on one computer. Check
        below by what they were joined before you export or erase.
      </p>`
    }
    <dl class="pairs">
      <div>
        <dt>Chats: ${count(person.chats.length)}</dt>
        <dd><div class="ids" tabindex="0" role="region" aria-label="Chats"><${Chats} account=${account} chats=${person.chats} /></div></dd>
      </div>
      <div><dt>Clients: ${count(person.clients.length)}</dt><dd><div class="ids" tabindex="0" role="region" aria-label="Clients">${person.clients.map((client) => html`<bdi key=${client}>${client}</bdi> `)}</div></dd></div>
      ${
        person.joined.length > 0 &&
        html`<div>
          <dt>Joined</dt>
          <dd>
            <div class="ids" tabindex="0" role="region" aria-label="Joined">
              ${person.joined.map((each) => html`<p key=${joinedWords(each)}><bdi>${joinedWords(each)}</bdi></p>`)}
            </div>
          </dd>
        </div>`
      }
    </dl>
    ${
      offered.length > 0 &&
      html`<fieldset disabled=${isBusy}>
        <legend>May be the same person: choose who is</legend>
        <ul class="likely">
          ${offered.map(
            (likely) =>
              html`<${LikelyRow} key=${likely.also} account=${account} likely=${likely} checked=${isIncluded(likely)} onChange=${include(likely)} />`,
          )}
        </ul>
      </fieldset>`
    }
    <h3>What is stored</h3>
    <dl class="pairs">
      ${person.stored.map(({ what, count: size }) => html`<div key=${what}><dt>${storedWords(what)}</dt><dd class="number">${count(size)}</dd></div>`)}
    </dl>
    <${TroubleBox} trouble=${file.trouble} again=${save} />
    <div class="row">
      <button type="button" class="primary" onClick=${save} disabled=${isBusy || file.isBusy}>${file.isBusy ? 'Collecting…' : 'Export'}</button>
      <button type="button" class="danger" disabled=${isBusy} onClick=${() => setAsks(true)}>Erase…</button>
      <span class="muted">The audit log records both.</span>
    </div>
    ${
      asks &&
      html`<${EraseDialog}
        account=${account}
        found=${found}
        close=${() => setAsks(false)}
        erased=${() => {
          setErased(true)
          erased()
        }}
      />`
    }
  `
}
