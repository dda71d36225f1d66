import { useState } from 'preact/hooks'
import type { PersonAnswer, PersonBody } from '../answers.ts'
import { accountPath, base, post, postForFile } from './api.ts'
import { count, counted } from './format.ts'
import { useAction } from './hooks.ts'
import { html } from './html.ts'
import { Check, Dialog, Empty, Field, Table, TroubleBox, valueOfField } from './parts.ts'
import { pathOf } from './route.ts'

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
  const erase = useAction<unknown>()
  const { asked, person } = found
  const needed = `${typedWord} ${asked.value}`
  const submit = (event: Event) => {
    event.preventDefault()
    void erase.run(async () => {
      const result = await post(accountPath(account, 'person', 'erase'), { ...asked, confirm: person.confirm })
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

/** The person's chats and clients, likely links to more, and what is stored about the person. */
export const PersonView = ({ account, found, find, isBusy, erased }: Props) => {
  const { asked, person } = found
  const [asks, setAsks] = useState(false)
  const [isErased, setErased] = useState(false)
  const file = useAction<undefined>()
  const save = () =>
    file.run(() => postForFile(accountPath(account, 'person', 'export'), asked, `person-${asked.kind}.json`))
  const also = asked.also ?? []
  const follow = (name: string) => (checked: boolean) =>
    find({ ...asked, also: checked ? [...also, name] : also.filter((each) => each !== name) })
  if (isErased) return html`<p class="notice" role="status">The erasure is in the log. Its receipt is below.</p>`
  if (person.stored.every(({ count: documents }) => documents === 0))
    return html`<${Empty} title="No person with this id or address is stored.">Check the value, or find the person by another kind of id: a client has an id, and as a visitor a number.<//>`
  return html`
    <dl class="pairs">
      <div>
        <dt>Chats</dt>
        <dd class="ids">${person.chats.map((chat) => html`<a key=${chat} href=${`${base}${pathOf(account, 'conversations', '', chat)}`}><bdi>${chat}</bdi></a> `)}</dd>
      </div>
      <div><dt>Clients</dt><dd class="ids">${person.clients.map((client) => html`<bdi key=${client}>${client}</bdi> `)}</dd></div>
    </dl>
    ${
      (person.likely.length > 0 || also.length > 0) &&
      html`<fieldset disabled=${isBusy}>
        <legend>Likely the same person: choose whom to include</legend>
        ${also.map((name) => html`<${Check} key=${name} label=${name} checked=${true} onChange=${follow(name)} />`)}
        ${person.likely
          .filter(({ name }) => !also.includes(name))
          .map(
            ({ name, reason }) =>
              html`<${Check} key=${name} label=${`${name}: ${reason}`} checked=${false} onChange=${follow(name)} />`,
          )}
      </fieldset>`
    }
    <${Table} caption="What is stored" head=${['What', 'Count']} numbers=${['Count']}>
      ${person.stored.map(({ what, count: size }) => html`<tr key=${what}><th scope="row">${what}</th><td class="number">${count(size)}</td></tr>`)}
    <//>
    <${TroubleBox} trouble=${file.trouble} again=${save} />
    <div class="row">
      <button type="button" class="primary" onClick=${save} disabled=${file.isBusy}>${file.isBusy ? 'Collecting…' : 'Export'}</button>
      <button type="button" class="danger" onClick=${() => setAsks(true)}>Erase…</button>
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
