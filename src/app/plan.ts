import * as E from 'fp-ts/lib/Either.js'
import type { WrappingKeys } from '../bridge/archive/key-file.ts'
import { roles as allRoles, type Role } from '../bridge/domain/roles.ts'
import { notSafe } from '../console/not-safe.ts'
import { missingKeyFile, wrappingKeysOf } from './archive-keys.ts'
import { exitOfWrongConfig, type Settings } from './config.ts'

/** What the operator must do, and the exit code of the process. */
export type NotStarted = { readonly reason: string; readonly exitCode: number }

/** Which of the requested roles a process runs. */
export type Plan = {
  readonly runs: (role: Role) => boolean
  /** The roles that cannot run, each with the reason. */
  readonly lacking: ReadonlyMap<Role, string>
  /** Opens the archive. With the role archiver or console only, and if a key is configured. */
  readonly archiveKeys: WrappingKeys | undefined
}

const wrongConfig = (reason: string) => E.left({ reason, exitCode: exitOfWrongConfig })

/**
 * If the operator requests every role, in one process or two, those that can run start. Otherwise each must be able.
 */
export const planOf = (
  settings: Parameters<typeof wrappingKeysOf>[0] & Pick<Settings, 'console' | 'admin'>,
  requested: ReadonlyArray<Role>,
  isOneOfTwo: boolean,
): E.Either<NotStarted, Plan> => {
  const [archives, shows] = [requested.includes('archiver'), requested.includes('console')]
  // The console reads the archive if it has the keys. It makes no keys.
  const keys = archives || shows ? wrappingKeysOf(settings, archives) : E.right(undefined)
  if (E.isLeft(keys)) return wrongConfig(keys.left)
  const unsafe = shows ? notSafe(settings.console, settings.admin.host) : undefined
  const lacking = new Map<Role, string>()
  if (archives && keys.right === undefined) lacking.set('archiver', missingKeyFile)
  if (unsafe !== undefined) lacking.set('console', unsafe)
  const [first] = lacking.values()
  const isEvery = isOneOfTwo || allRoles.every((role) => requested.includes(role))
  if (first !== undefined && !isEvery) return wrongConfig(`${first}.`)
  const runs = (role: Role) => requested.includes(role) && !lacking.has(role)
  return E.right({ runs, lacking, archiveKeys: keys.right })
}
