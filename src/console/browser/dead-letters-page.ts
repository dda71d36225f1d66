import { useState } from 'preact/hooks'
import type { LetterAnswer, LettersAnswer } from '../answers.ts'
import { pageOf } from '../pages.ts'
import { accountPath, base, get, post } from './api.ts'
import { bytes, count, counted } from './format.ts'
import { useAction, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Badge, Card, Empty, Panel, Table, Time, TroubleBox, Waiting } from './parts.ts'
import { bytesText, RecordView } from './record-view.ts'
import { RedriveForm } from './redrive-form.ts'
import { type PageProps, pathOf } from './route.ts'

type DeadLetter = LettersAnswer['letters'][number]
export type DeadLettersKind = 'dead-letters' | 'quarantine'

const about = {
  'dead-letters': 'What a consumer could not process. It is kept for 14 days.',
  quarantine: 'What came in and could not be understood. It is kept for 14 days.',
} as const

const DeadLetterPanel = ({
  account,
  kind,
  letter,
  close,
  redriven,
}: {
  readonly account: string
  readonly kind: DeadLettersKind
  readonly letter: DeadLetter
  readonly close: () => void
  readonly redriven: () => void
}) => {
  const shown = useAction<LetterAnswer>()
  const show = () => shown.run(() => post<LetterAnswer>(accountPath(account, kind, 'show'), { id: letter.id }))
  return html`
    <${Panel} title=${`${kind === 'quarantine' ? 'Request' : 'Letter'} ${letter.id}`} close=${close}>
      <p class="note"><bdi>${letter.cause}</bdi></p>
      <dl class="pairs">
        <div><dt>From topic</dt><dd>${letter.topic}</dd></div>
        ${letter.consumer !== undefined && html`<div><dt>Consumer</dt><dd>${letter.consumer}</dd></div>`}
        ${letter.interface !== undefined && html`<div><dt>Interface</dt><dd>${letter.interface}</dd></div>`}
        <div><dt>When</dt><dd><${Time} at=${letter.at} /></dd></div>
        <div><dt>Size</dt><dd>${bytes(letter.bytes)}</dd></div>
      </dl>
      ${
        shown.value === undefined
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
      <h3>Send it again</h3>
      <${RedriveForm} account=${account} kind=${kind} only=${letter.id} done=${redriven} />
    <//>
  `
}

type Group = LettersAnswer['groups'][number]

const Groups = ({
  account,
  kind,
  groups,
}: {
  readonly account: string
  readonly kind: DeadLettersKind
  readonly groups: ReadonlyArray<Group>
}) => html`
  <${Table} caption="Grouped by cause" head=${['Cause', 'Topic', 'Count', 'First', 'Last']} numbers=${['Count']}>
    ${groups.map(({ cause, topic, count: size, firstAt, lastAt }) => {
      const query = new URLSearchParams({ cause, topic }).toString()
      return html`<tr key=${`${topic}\n${cause}`}>
        <th scope="row"><a data-item href=${`${base}${pathOf(account, kind, query)}`}><bdi>${cause}</bdi></a></th>
        <td>${topic}</td>
        <td class="number">${count(size)}</td>
        <td><${Time} at=${firstAt} /></td>
        <td><${Time} at=${lastAt} /></td>
      </tr>`
    })}
  <//>
`

const DeadLetters = ({
  letters,
  open,
}: {
  readonly letters: ReadonlyArray<DeadLetter>
  readonly open: (letter: DeadLetter) => void
}) => html`
  <${Table} caption="The newest first" head=${['Id', 'Cause', 'From', 'When', 'Size', 'Sent again']} numbers=${['Size']}>
    ${letters.map(
      (letter) => html`<tr key=${letter.id}>
        <th scope="row"><button type="button" class="link" data-item onClick=${() => open(letter)}>${letter.id}</button></th>
        <td><bdi>${letter.cause}</bdi></td>
        <td>${letter.consumer ?? letter.interface ?? letter.topic}<span class="sub">${letter.topic}</span></td>
        <td><${Time} at=${letter.at} /></td>
        <td class="number">${bytes(letter.bytes)}</td>
        <td>${
          letter.redriven.length === 0
            ? html`<span class="muted">no</span>`
            : html`<${Badge} tone="good">${counted(letter.redriven.length, 'time')}<//> <${Time} at=${letter.redriven.at(-1) ?? ''} />`
        }</td>
      </tr>`,
    )}
  <//>
`

/** Dead letters, or requests in quarantine. */
export const DeadLettersPage = ({ account, page, query }: PageProps) => {
  const kind: DeadLettersKind = page === 'quarantine' ? 'quarantine' : 'dead-letters'
  const [open, setOpen] = useState<DeadLetter>()
  const filter = new URLSearchParams(
    ['cause', 'topic'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
  const path = `${accountPath(account, kind)}?${filter}`
  const { value, trouble, again } = useLoad(path, (signal) => get<LettersAnswer>(path, signal))
  const isFiltered = filter.size > 0
  return html`
    <div class="page-head"><h1>${pageOf(kind).title}</h1><p class="muted">${about[kind]}</p></div>
    <${TroubleBox} trouble=${trouble} again=${again} />
    ${value === undefined && trouble === undefined && html`<${Waiting} what=${pageOf(kind).title.toLowerCase()} />`}
    ${
      value !== undefined &&
      (value.count === 0 && !isFiltered
        ? html`<${Empty} title="There is nothing here, which is good.">
            ${kind === 'quarantine' ? 'Every request could be understood.' : 'Every record could be processed.'}
          <//>`
        : html`
            <div class=${open === undefined ? 'beside' : 'beside open'}>
              <div class="stack">
                <${Card} title=${counted(value.count, 'entry', 'entries')} id="groups">
                  ${isFiltered && html`<p>Only <bdi>${[...filter.values()].join(', ')}</bdi>. <a href=${`${base}${pathOf(account, kind)}`}>Show all</a></p>`}
                  ${value.cut && html`<p class="muted">There may be more: not all records were read in time.</p>`}
                  <${Groups} account=${account} kind=${kind} groups=${value.groups} />
                <//>
                <${Card} title="Send again" id="redrive">
                  <${RedriveForm} key=${path} account=${account} kind=${kind} cause=${filter.get('cause') ?? ''} topic=${filter.get('topic') ?? ''} done=${again} />
                <//>
                <${Card} title="Newest" id="letters">
                  ${
                    value.letters.length === 0
                      ? html`<${Empty} title="No entry matches the filter.">Entries are deleted after 14 days.<//>`
                      : html`<${DeadLetters} letters=${value.letters} open=${setOpen} />`
                  }
                <//>
              </div>
              ${
                open !== undefined &&
                html`<${DeadLetterPanel} key=${open.id} account=${account} kind=${kind} letter=${open} close=${() => setOpen(undefined)} redriven=${again} />`
              }
            </div>
          `)
    }
  `
}
