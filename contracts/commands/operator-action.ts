import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, exactShape, Id, Instant } from '../primitives.ts'

/** What operators do with the data of the bridge, or see of it. */
export const actions = [
  'rebuild',
  'redrive',
  'erase',
  'export',
  'replay',
  'rewrap',
  'unmask',
  'sign-in',
  'topics',
] as const
export type Action = (typeof actions)[number]

/** An option of the command of an action. A value that may be an address or a phone number is `(value withheld)`. */
export const ActionOption = exactShape(
  {
    /** The option's name, such as `chat`. */
    name: Code,
    /** Its value as text, such as `7701`. */
    value: Code,
  },
  {},
  'ActionOption',
)
export type ActionOption = t.TypeOf<typeof ActionOption>

/**
 * An action of an operator. The bridge writes it first: if it cannot be written, the action does not happen; only a
 * sign-in to the console is not refused for that. The key is the account id, or `*` if the action is about all
 * accounts.
 */
export const OperatorAction = exactShape(
  {
    /** The type of the record. */
    type: t.literal('OperatorAction'),
    /** The unique id of the action. */
    id: Id,
    /** What was done. */
    action: t.keyof(Object.fromEntries(actions.map((action) => [action, null])) as Record<Action, null>),
    /** Who did it: the user and the machine, or the person who has signed in. */
    who: Text,
    /** When it began. */
    at: Instant,
    /** The command and its options in one line, without personal data. */
    detail: Code,
  },
  {
    /** The command, in words of the command line, or what somebody looked at in the console. */
    command: Code,
    /** The command's options, without personal data. Of an option with several values each is one. */
    options: t.array(ActionOption),
    /** The customer account of the service, by its id in the accounts file. Absent for an action on all accounts. */
    accountId: AccountId,
  },
  'OperatorAction',
)
export type OperatorAction = t.TypeOf<typeof OperatorAction>

export const exampleAction = {
  type: 'OperatorAction',
  id: '3f0c2b4e-1d5a-4c7e-9b8f-2a6d0e4c8b17',
  action: 'redrive',
  who: 'operator@host-1',
  at: '2022-10-11T09:00:00.000Z',
  accountId: 'acme',
  detail: 'redrive quarantine, account acme',
  command: 'redrive quarantine',
  options: [{ name: 'account', value: 'acme' }],
}
