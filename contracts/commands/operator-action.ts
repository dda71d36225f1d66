import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, exactShape, Id, Instant } from '../primitives.ts'

/** What operators do to what the bridge keeps, or see of it. */
export const actions = ['rebuild', 'redrive', 'erase', 'export', 'replay', 'rewrap', 'unmask'] as const
export type Action = (typeof actions)[number]

/** An action of an operator, written before it happens: what cannot be written here does not happen. The key is the account. */
export const OperatorAction = exactShape(
  {
    /** What the record is. */
    type: t.literal('OperatorAction'),
    /** Unique. */
    id: Id,
    /** What was done. */
    action: t.keyof(Object.fromEntries(actions.map((action) => [action, null])) as Record<Action, null>),
    /** Who did it: the user and the machine, or the person who has signed in. */
    who: Text,
    /** When it began. */
    at: Instant,
    /** To what, in words of the command line, without personal data. */
    detail: Code,
  },
  {
    /** The customer account of the service, by its id in the accounts file. Absent if the action is about all accounts. */
    accountId: AccountId,
  },
  'OperatorAction',
)
export type OperatorAction = t.TypeOf<typeof OperatorAction>
