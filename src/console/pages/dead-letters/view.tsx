import { useState } from 'preact/hooks'
import { accountPath, get } from '../../browser/api.ts'
import { counted } from '../../browser/format.ts'
import { useLoad } from '../../browser/hooks.ts'
import { pageOf } from '../../browser/menu.ts'
import { go } from '../../browser/navigation.ts'
import { Card, Empty, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { type PageProps, pathOf } from '../../browser/route.ts'
import { lettersWords } from '../../browser/words.ts'
import { LettersFilterForm } from './filter-form.tsx'
import { addressQueryOf, type ChangeFilters, lettersFiltersOf, requestQueryOf } from './filters.ts'
import { LetterGroups } from './letter-groups.tsx'
import { LetterPanel } from './letter-panel.tsx'
import { LetterTable } from './letter-table.tsx'
import type { LettersAnswer, LettersKind } from './letters.ts'
import { namedLetter } from './named-letter.ts'
import { type Choice, RedriveDialog } from './redrive-dialog.tsx'
import { RedriveStatus } from './redrive-status.tsx'
import { useRedrives } from './use-redrives.ts'

type Letter = LettersAnswer['letters'][number]

/** The letters that are selected in the list. */
const useSelection = () => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose = (ids: ReadonlyArray<string>, isChosen: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) {
      if (isChosen) next.add(id)
      else next.delete(id)
    }
    setChosen(next)
  }
  return { chosen, choose, clear: () => setChosen(new Set()) }
}

/** The open letter, which the address names. It stays open when it leaves the list, as when it is sent. */
const useOpenLetter = (path: (query: string) => string, query: URLSearchParams, letters: ReadonlyArray<Letter>) => {
  const [held, setHeld] = useState<Letter>()
  const letter = query.get('letter') ?? ''
  const appended = query.get('appended') ?? ''
  const setOpen = (next: Letter | undefined) => {
    const named = new URLSearchParams(query)
    for (const name of ['letter', 'appended', 'reply']) named.delete(name)
    if (next !== undefined) named.set('letter', next.id)
    setHeld(next)
    go(path(named.toString()), 'replace')
  }
  const open = namedLetter(letters, { letter, appended }) ?? (held?.id === letter ? held : undefined)
  return { open, setOpen }
}

/** Dead letters, or requests in quarantine: grouped by reason, with a state each, to select and send again. */
export const DeadLettersPage = ({ account, roles, page, query }: PageProps) => {
  const kind: LettersKind = page === 'quarantine' ? 'quarantine' : 'dead-letters'
  const { noun, about } = lettersWords[kind]
  const { title } = pageOf(kind)
  const mayAct = roles.includes('operator')
  const filters = lettersFiltersOf(query)
  const request = `${accountPath(account, kind)}?${requestQueryOf(filters)}`
  const { value, trouble, again } = useLoad(request, (signal) => get<LettersAnswer>(request, signal))
  const letters = value?.letters ?? []
  const pathWith = (next: string) => pathOf(account, kind, next)
  const { chosen, choose, clear } = useSelection()
  const { open, setOpen } = useOpenLetter(pathWith, query, letters)
  const change: ChangeFilters = (part) => {
    clear()
    go(pathWith(addressQueryOf({ ...filters, ...part })))
  }
  const of = { account, kind, unowned: filters.unowned }
  const { runs, start, stop, isSending } = useRedrives(of, again)
  const [choice, setChoice] = useState<Choice>()
  const placeOfLetter = (id: string) => `letter ${id}`
  const runOf = ({ id, earlier }: Letter) =>
    [id, ...earlier.map((each) => each.id).reverse()].flatMap((each) => runs.get(placeOfLetter(each)) ?? []).at(0)
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
        <p class="muted">{about}</p>
      </div>
      <LettersFilterForm
        account={account}
        kind={kind}
        filters={filters}
        answer={value}
        mayAct={mayAct}
        change={change}
      />
      <TroubleBox trouble={trouble} again={again} />
      {value === undefined && trouble === undefined && <Waiting what={title.toLowerCase()} />}
      {value !== undefined && (
        <div class={open === undefined ? 'beside' : 'beside open'}>
          <div class="stack">
            {(value.groups.length > 0 || runs.size > 0) && (
              <LetterGroups
                kind={kind}
                groups={value.groups}
                filters={filters}
                isCut={value.cut}
                mayAct={mayAct}
                isSending={isSending}
                runs={runs}
                change={change}
                send={setChoice}
                stop={stop}
              />
            )}
            <Card title={counted(value.count, noun)} id="letters">
              <RedriveStatus kind={kind} run={runs.get('selection')} stop={stop} />
              {letters.length === 0 ? (
                <Empty
                  title={
                    value.causes.length === 0
                      ? 'There is nothing here, which is good.'
                      : `No ${noun} matches the filters.`
                  }
                >
                  They are deleted after 14 days.
                </Empty>
              ) : (
                <LetterTable
                  kind={kind}
                  account={account}
                  letters={letters}
                  chosen={chosen}
                  mayAct={mayAct}
                  isSending={isSending}
                  choose={choose}
                  open={setOpen}
                  send={(letters) => setChoice({ place: 'selection', letters })}
                />
              )}
            </Card>
          </div>
          {open !== undefined && (
            <LetterPanel
              key={open.id}
              account={account}
              kind={kind}
              letter={open}
              mayAct={mayAct}
              unowned={filters.unowned}
              reply={query.get('reply') ?? ''}
              run={runOf(open)}
              isSending={isSending}
              close={() => setOpen(undefined)}
              send={() => setChoice({ place: placeOfLetter(open.id), letters: [open] })}
              stop={stop}
            />
          )}
        </div>
      )}
      {choice !== undefined && (
        <RedriveDialog
          of={of}
          choice={choice}
          close={() => setChoice(undefined)}
          start={(sending) => {
            clear()
            void start(sending)
          }}
        />
      )}
    </>
  )
}
