import { audit as topic } from '../../../contracts/topics.ts'
import { type AuditDocument, audit as contract } from '../../../contracts/views/audit.ts'
import { never } from './erase.ts'
import { by } from './indexes.ts'
import { folded, type RecordedAction } from './view.ts'

/** The document of an operator's action; written once. */
const evolveAudit = (current: AuditDocument | undefined, { action }: RecordedAction): AuditDocument => {
  const { type: _, id, at, ...rest } = action
  return current ?? { _id: id, at: new Date(at), ...rest }
}

export const audit = folded(contract, {
  isWrittenOnce: true,
  folds: {
    OperatorAction: {
      at: ({ action }) => action.id,
      next: (current: AuditDocument | undefined, recorded) => [evolveAudit(current, recorded)],
    },
  },
  erasure: never,
  countsDeleted: ({ at }, now) => at instanceof Date && at.getTime() < now - topic.cleanUp.deleteAfterMs,
  isForEver: true,
  indexes: [by('at', '_id'), by('action', 'at', '_id'), by('who', 'at', '_id')],
})
