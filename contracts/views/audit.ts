import type * as t from 'io-ts'
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
    /** The target of the action, without personal data. */
    detail: Code,
  },
  {
    /** The customer account of the service; absent if the action is about all accounts. */
    accountId: AccountId,
  },
  'AuditDocument',
)
export type AuditDocument = t.TypeOf<typeof AuditDocument>

export const audit = { name: 'audit', version: 1, document: AuditDocument } as const satisfies ViewContract
