import { useState } from 'preact/hooks'
import type { LetterAnswer, LettersAnswer, LettersKind } from '../answers.ts'
import { pageOf } from '../pages.ts'
import { accountPath, base, get, post } from './api.ts'
import { bytes, count, counted } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { namedLetter } from './named-letter.ts'
import { go } from './navigation.ts'
import { Badge, Card, Check, Copy, Empty, Panel, Select, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { bytesText, RecordView } from './record-view.ts'
import { RedriveForm } from './redrive-form.ts'
import { type PageProps, pathOf } from './route.ts'
import { causeWords, letterStateWords } from './words.ts'

type DeadLetter = LettersAnswer['letters'][number]

const about = {
  'dead-letters': 'Replies and events that could not be processed. They are kept for 14 days.',
  quarantine: 'Requests of the chat service that could not be understood. They are kept for 14 days.',
} as const

const tones = { unresolved: 'warn', sent: 'good', 'failed-again': 'bad' } as const
const states = ['unresolved', 'sent', 'failed-again'] as const

const DeadLetterPanel = ({
  account,
  kind,
  letter,
  mayAct,
  unowned,
  reply,
  close,
  redriven,
}: {
  readonly account: string
  readonly kind: LettersKind
  readonly letter: DeadLetter
  readonly mayAct: boolean
  readonly unowned: boolean
  /** The entry of the story to go back to. */
  readonly reply: string
  readonly close: () => void
  readonly redriven: () => void
}) => {
  const shown = useAction<LetterAnswer>()
  const body = { id: letter.id, ...(unowned && { unowned: true }) }
  const show = () => shown.run(() => post<LetterAnswer>(accountPath(account, kind, 'show'), body))
  return html`
    <${Panel} title=${`${kind === 'quarantine' ? 'Request' : 'Letter'} ${letter.id}`} close=${close}>
      <p class="note">${causeWords(letter.cause)}${letter.reason !== undefined && html`: ${letter.reason}`}</p>
      <dl class="pairs">
        <div><dt>Id</dt><dd>${letter.id} <${Copy} text=${letter.id} what="the id" /></dd></div>
        ${letter.chatId !== undefined && html`<div><dt>Chat</dt><dd><a href=${`${base}${pathOf(account, 'conversations', reply === '' ? '' : `reply=${encodeURIComponent(reply)}`, letter.chatId)}`}>${letter.chatId}${reply !== '' && ', at the reply'}</a></dd></div>`}
        ${kind === 'dead-letters' && html`<div><dt>From topic</dt><dd>${letter.topic}</dd></div>`}
        ${letter.consumer !== undefined && html`<div><dt>Consumer</dt><dd>${letter.consumer}</dd></div>`}
        ${letter.interface !== undefined && html`<div><dt>Interface</dt><dd>${letter.interface}</dd></div>`}
        <div><dt>When</dt><dd><${Time} at=${letter.at} /></dd></div>
        <div><dt>Size</dt><dd>${bytes(letter.bytes)}</dd></div>
        <div><dt>Failed</dt><dd>${counted(letter.failures, 'time')}</dd></div>
      </dl>
      ${
        !mayAct
          ? html`<p class="muted">The role operator can see the payload, and send it again.</p>`
          : shown.value === undefined
            ? html`
                <p><button type="button" class="primary" onClick=${show} disabled=${shown.isBusy}>Show the payload</button></p>
                <p class="muted">It is shown with personal data. The audit log records that you looked.</p>
                <${TroubleBox} trouble=${shown.trouble} again=${show} />
              `
            : html`<${RecordView}
                record=${shown.value.record}
                text=${bytesText(shown.value.record.value)}
                problems=${shown.value.problems}
              />`
      }
      ${
        mayAct &&
        html`<h3>Send it again</h3>
          <${RedriveForm} account=${account} kind=${kind} ids=${[letter.id]} unowned=${unowned} done=${redriven} />`
      }
    <//>
  `
}

const DeadLetters = ({
  account,
  kind,
  letters,
  chosen,
  mayAct,
  choose,
  open,
}: {
  readonly account: string
  readonly kind: LettersKind
  readonly letters: ReadonlyArray<DeadLetter>
  readonly chosen: ReadonlySet<string>
  readonly mayAct: boolean
  readonly choose: (ids: ReadonlyArray<string>, isChosen: boolean) => void
  readonly open: (letter: DeadLetter) => void
}) => {
  const isQuarantine = kind === 'quarantine'
  const head = [
    isQuarantine ? 'Request' : 'Letter',
    'Reason',
    ...(isQuarantine ? [] : ['Chat']),
    'State',
    'From',
    'When',
  ]
  return html`
    ${
      mayAct &&
      html`<${Check}
        label=${`Select all ${count(letters.length)} shown`}
        checked=${letters.length > 0 && letters.every(({ id }) => chosen.has(id))}
        onChange=${(isChosen: boolean) =>
          choose(
            letters.map(({ id }) => id),
            isChosen,
          )}
      />`
    }
    <${Table} caption=${`${isQuarantine ? 'Requests' : 'Letters'}, the newest first`} head=${head} kind="letters">
      ${letters.map(
        (letter) => html`<tr key=${letter.id}>
          <th scope="row">
            <span class="check">
              ${mayAct && html`<input type="checkbox" aria-label=${`Select ${letter.id}`} checked=${chosen.has(letter.id)} onChange=${(event: Event) => choose([letter.id], (event.currentTarget as HTMLInputElement).checked)} />`}
              <button type="button" class="link" data-item onClick=${() => open(letter)}>${letter.id}</button>
            </span>
          </th>
          <td data-label="Reason"><span class="cause">${causeWords(letter.cause)}</span>${letter.reason !== undefined && html`<span class="sub">${letter.reason}</span>`}</td>
          ${!isQuarantine && html`<td data-label="Chat">${letter.chatId !== undefined && html`<a href=${`${base}${pathOf(account, 'conversations', '', letter.chatId)}`}><bdi>${letter.chatId}</bdi></a>`}</td>`}
          <td data-label="State">
            <${Badge} tone=${tones[letter.state]}>${letterStateWords(letter.state)}<//>
            ${letter.failures > 1 && html`<span class="sub">failed ${counted(letter.failures, 'time')}</span>`}
            ${letter.redriven.length > 0 && html`<span class="sub">sent <${Time} at=${letter.redriven.at(-1) ?? ''} /></span>`}
          </td>
          <td data-label="From">${letter.consumer ?? letter.interface ?? letter.topic}${!isQuarantine && html`<span class="sub">${letter.topic}</span>`}</td>
          <td data-label="When"><${Time} at=${letter.at} /></td>
        </tr>`,
      )}
    <//>
  `
}

/** Dead letters, or requests in quarantine: grouped by reason, with a state each, to select and send again. */
export const DeadLettersPage = ({ account, roles, page, query }: PageProps) => {
  const kind: LettersKind = page === 'quarantine' ? 'quarantine' : 'dead-letters'
  /** It stays open when it leaves the list, as when it is sent. */
  const [held, setHeld] = useState<DeadLetter>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayAct = roles.includes('operator')
  const text = (name: string) => query.get(name) ?? ''
  const unowned = text('unowned') === 'true'
  const state = states.find((each) => each === text('state')) ?? (text('state') === 'all' ? '' : 'unresolved')
  const asked = new URLSearchParams(
    ['cause', 'topic', 'chat', 'reason', 'unowned'].flatMap((name) => (text(name) ? [[name, text(name)]] : [])),
  )
  if (state !== '') asked.set('state', state)
  const path = `${accountPath(account, kind)}?${asked}`
  const { value, trouble, again } = useLoad(path, (signal) => get<LettersAnswer>(path, signal))
  const change = (part: Readonly<Record<string, string>>) => {
    const all = {
      cause: text('cause'),
      topic: text('topic'),
      chat: text('chat'),
      reason: text('reason'),
      unowned: text('unowned'),
      state: text('state'),
      ...part,
    }
    setChosen(new Set())
    go(pathOf(account, kind, new URLSearchParams(Object.entries(all).filter(([, each]) => each !== '')).toString()))
  }
  /** The address names the open letter. */
  const setOpen = (letter: DeadLetter | undefined) => {
    const named = new URLSearchParams(query)
    for (const name of ['letter', 'appended', 'reply']) named.delete(name)
    if (letter !== undefined) named.set('letter', letter.id)
    setHeld(letter)
    go(pathOf(account, kind, named.toString()), 'replace')
  }
  const choose = (ids: ReadonlyArray<string>, isChosen: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) {
      if (isChosen) next.add(id)
      else next.delete(id)
    }
    setChosen(next)
  }
  const groups = value?.groups ?? []
  const stateOptions = [
    ...states.map((each) => [each, `${letterStateWords(each)}${value ? ` (${count(value.states[each])})` : ''}`]),
    ['all', 'All'],
  ]
  const noun = kind === 'quarantine' ? 'request' : 'letter'
  const causes = [...new Set(groups.map(({ cause }) => cause))]
  const topics = [...new Set(groups.map(({ topic }) => topic))]
  const letters = value?.letters ?? []
  const open =
    namedLetter(letters, { letter: text('letter'), appended: text('appended') }) ??
    (held?.id === text('letter') ? held : undefined)
  const shownIds = new Set(letters.map(({ id }) => id))
  const selected = [...chosen].filter((id) => shownIds.has(id))
  return html`
    <div class="page-head"><h1>${pageOf(kind).title}</h1><p class="muted">${about[kind]}</p></div>
    <form class="filters" aria-label=${pageOf(kind).title} onSubmit=${(event: Event) => event.preventDefault()}>
      <${Select} label="State" value=${state === '' ? 'all' : state} options=${stateOptions} onChange=${(next: string) => change({ state: next })} />
      <${Select} label="Cause" value=${text('cause')} options=${[['', 'Any'], ...causes.map((cause) => [cause, causeWords(cause)])]} onChange=${(cause: string) => change({ cause, reason: '' })} />
      ${kind === 'dead-letters' && html`<${Select} label="Topic" value=${text('topic')} options=${[['', 'Any'], ...topics.map((topic) => [topic, topic])]} onChange=${(topic: string) => change({ topic, reason: '' })} />`}
      ${
        kind === 'dead-letters' &&
        mayAct &&
        html`<${Select} label="Of" value=${unowned ? 'true' : ''} options=${[
          ['', `account ${account}`],
          ['true', 'no known account'],
        ]} onChange=${(next: string) => change({ unowned: next })} />`
      }
      ${text('chat') !== '' && html`<div class="row"><button type="button" onClick=${() => change({ chat: '' })}>Only chat ${text('chat')} ✕</button></div>`}
      ${text('reason') !== '' && html`<div class="row"><button type="button" onClick=${() => change({ reason: '' })}>Only “${text('reason')}” ✕</button></div>`}
    </form>
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${value === undefined && trouble === undefined && html`<${Waiting} what=${pageOf(kind).title.toLowerCase()} />`}
    ${
      value !== undefined &&
      html`
        <div class=${open === undefined ? 'beside' : 'beside open'}>
          <div class="stack">
            ${
              groups.length > 0 &&
              html`<${Card} title="By reason" id="groups" aside=${html`<span class="muted">of all ${noun}s${value.cut && '. There may be more: not all were read'}</span>`}>
                <ul class="plain-list">
                  ${groups.map(
                    ({ cause, topic, count: size, unresolved, reasons }) => html`<li key=${`${topic}\n${cause}`}>
                      <span><button type="button" class="link" data-item onClick=${() => change({ cause, topic, reason: '' })}>${causeWords(cause)}</button>${kind === 'dead-letters' && html` <span class="muted">${topic}</span>`}</span>
                      <span class="number">${count(unresolved)} unresolved of ${count(size)}</span>
                    </li>
                    ${reasons.map(
                      (each) => html`<li key=${`${topic}\n${cause}\n${each.reason}`} class="under">
                        <button type="button" class="link" data-item onClick=${() => change({ cause, topic, reason: each.reason })}>${each.reason}</button>
                        <span class="number muted">${count(each.unresolved)} of ${count(each.count)}</span>
                      </li>`,
                    )}`,
                  )}
                </ul>
              <//>`
            }
            ${
              mayAct &&
              letters.length > 0 &&
              html`<${Card} title="Send again" id="redrive">
                <${RedriveForm}
                  key=${path}
                  account=${account}
                  kind=${kind}
                  ids=${selected.length > 0 ? selected : state === '' && text('chat') === '' && text('reason') === '' ? undefined : letters.map(({ id }) => id)}
                  isSelected=${selected.length > 0}
                  cause=${text('cause')}
                  topic=${text('topic')}
                  unowned=${unowned}
                  done=${again}
                />
              <//>`
            }
            <${Card} title=${counted(value.count, noun)} id="letters">
              ${
                letters.length === 0
                  ? html`<${Empty} title=${groups.length === 0 ? 'There is nothing here, which is good.' : `No ${noun} matches the filters.`}>They are deleted after 14 days.<//>`
                  : html`<${DeadLetters} account=${account} kind=${kind} letters=${letters} chosen=${chosen} mayAct=${mayAct} choose=${choose} open=${setOpen} />`
              }
            <//>
          </div>
          ${
            open !== undefined &&
            html`<${DeadLetterPanel} key=${open.id} account=${account} kind=${kind} letter=${open} mayAct=${mayAct} unowned=${unowned} reply=${text('reply')} close=${() => setOpen(undefined)} redriven=${again} />`
          }
        </div>
      `
    }
  `
}
