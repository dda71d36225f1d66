import { type AuditDeps, auditHandlers } from './api/audit.ts'
import { type ErasuresDeps, erasuresHandlers } from './api/erasures.ts'
import { type LettersDeps, lettersHandlers } from './api/letters.ts'
import { type PersonDeps, personHandlers } from './api/person.ts'
import { type RedriveDeps, redriveHandlers } from './api/redrive.ts'

export type ActingDeps = LettersDeps & RedriveDeps & PersonDeps & ErasuresDeps & AuditDeps

/** What operators and those who look after privacy do, through the code of the command line. */
export const actingHandlers = (deps: ActingDeps) => ({
  ...lettersHandlers(deps),
  ...redriveHandlers(deps),
  ...personHandlers(deps),
  ...erasuresHandlers(deps),
  ...auditHandlers(deps),
})
