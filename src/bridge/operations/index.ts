import { archiveKeys, archiveReplay, archiveRewrap } from './archive/operations.ts'
import { erase, eraseStatus } from './erase/operations.ts'
import { eraseRelease } from './erase/release.ts'
import { exportPerson } from './export/operation.ts'
import type { AnyOperation } from './operation.ts'
import { rebuild } from './rebuild/operation.ts'
import { redriveList, redriveQuarantine, redriveSend, redriveShow } from './redrive/operations.ts'
import { topics } from './topics.ts'
import { whatIf } from '../../bot/what-if/operation.ts'

/** What operators can do. The command line, the guide's table and the tests of all operations follow from this list. */
export const operations: ReadonlyArray<AnyOperation> = [
  topics,
  rebuild,
  redriveList,
  redriveShow,
  redriveSend,
  redriveQuarantine,
  erase,
  eraseStatus,
  eraseRelease,
  exportPerson,
  archiveRewrap,
  archiveKeys,
  archiveReplay,
  whatIf,
]
