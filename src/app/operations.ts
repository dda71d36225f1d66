import { whatIf } from '../bot/what-if/operation.ts'
import { archiveKeys, archiveReplay, archiveRewrap } from '../bridge/operations/archive/archive-operations.ts'
import { rebuild } from '../bridge/operations/rebuild/rebuild.ts'
import {
  redriveList,
  redriveQuarantine,
  redriveSend,
  redriveShow,
} from '../bridge/operations/redrive/redrive-operations.ts'
import { topics } from '../bridge/operations/topics.ts'
import { erase, eraseStatus } from '../bridge/privacy/erase/erase-operations.ts'
import { exportPerson } from '../bridge/privacy/export.ts'
import { eraseRelease } from '../bridge/privacy/retain-days/release.ts'

/** What operators can do. The command line, the guide's table and the tests of all operations follow from this list. */
export const operations = [
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
] as const
