import * as E from 'fp-ts/lib/Either.js'
import type { RetainState, SilentPersons, Waiting } from '../../mongo/silent-persons.ts'
import { ofAccount, optionsOf } from '../../operations/audit.ts'
import { type Accounts, operation, type Run, stop } from '../../operations/operation.ts'
import { accountOption, anyText } from '../../operations/options.ts'

/** Persons of the account who wait for an operator. */
export type WaitingEvent = Waiting & { readonly account: string }

/** Otherwise the persons are only listed. */
export type Released = { readonly isReleased: boolean }

const isWaiting = (state: RetainState): state is RetainState & { readonly waiting: Waiting } =>
  state.waiting !== undefined

/** Shows who waits to be erased by `privacy.retainDays`, and with an account lets them be erased. */
export const eraseRelease = operation({
  name: 'erase release',
  summary:
    'show how many persons `privacy.retainDays` would erase who wait for an operator; with an account, let them be erased',
  description:
    'Show how many persons `privacy.retainDays` would erase who wait for an operator: more than the larger of 20 persons and 5 % of an account in a day, or persons whose newest records the broker has received later than their events say. With an account, let the archiver erase them.',
  options: {
    account: accountOption('the account whose persons are erased'),
    by: { about: 'who releases them (default: the user of this process)', value: 'name', read: anyText },
  },
  confirm: ({ account }: { readonly account: string | undefined }) => account !== undefined,
  needs: { silentPersons: true, accounts: true },
  select: async (
    { silentPersons }: Accounts & { readonly silentPersons: Pick<SilentPersons, 'retainStates' | 'keepRelease'> },
    { account, by },
    { who }: Run<WaitingEvent, never>,
  ) => {
    const states = (await silentPersons.retainStates()).filter(isWaiting)
    const those = states.filter(({ _id }) => account === undefined || _id === account)
    if (those.length > 0) return E.right({ account, by: by ?? who, those })
    return account === undefined
      ? stop('nothing', 'Nobody waits to be erased by privacy.retainDays.')
      : stop('absent', `Nobody of ${account} waits to be erased by privacy.retainDays.`)
  },
  show: ({ those }): ReadonlyArray<WaitingEvent> => those.map(({ _id, waiting }) => ({ account: _id, ...waiting })),
  action: ({ account, those: [first] }) =>
    account === undefined
      ? undefined
      : {
          action: 'erase',
          command: 'erase release',
          options: optionsOf({ 'without-an-event-since': first?.waiting.before.toISOString() }),
          ...ofAccount(account),
        },
  act: async ({ silentPersons }, { account, by, those: [first] }) => {
    const released = (isReleased: boolean) => E.right({ code: 0, result: { isReleased } })
    if (account === undefined || first === undefined) return released(false)
    await silentPersons.keepRelease(account, { before: first.waiting.before, by, at: new Date() })
    return released(true)
  },
})
