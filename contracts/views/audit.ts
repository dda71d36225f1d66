import * as t from 'io-ts'
import { ActionOption } from '../commands/operator-action.ts'
import { Code, Text } from '../personal.ts'
import { AccountId, BsonDate, exactShape } from '../primitives.ts'
import type { ViewContract } from './contract.ts'

/**
 * One action of an operator, from the topic `audit`. The documents are for ever: a rebuild keeps those whose record the
 * topic no longer has.
 */
export const AuditDocument = exactShape(
  {
    /** The action's id. */
    _id: Code,
    /** What was done: `rebuild`, `redrive`, `erase`, `export`, `replay`, `rewrap`, `unmask`, `sign-in` or `topics`. */
    action: Code,
    /** Who did it. */
    who: Text,
    /** When it began. */
    at: BsonDate,
    /** The command and its options in one line, without personal data. */
    detail: Code,
  },
  {
    /** The command, in words of the command line, or what somebody looked at in the console. */
    command: Code,
    /** The command's options, without personal data. Of an option with several values each is one. */
    options: t.array(ActionOption),
    /** The customer account of the service; absent if the action is about all accounts. */
    accountId: AccountId,
  },
  'AuditDocument',
)
export type AuditDocument = t.TypeOf<typeof AuditDocument>

export const audit = { name: 'audit', version: 1, document: AuditDocument } as const satisfies ViewContract
