import { dataKeys } from '../../bridge/archive/data-keys.ts'
import type { WrappingKeys } from '../../bridge/archive/key-file.ts'
import { restorer } from '../../bridge/archive/restore.ts'
import { now } from '../../bridge/domain/clock.ts'
import { archiveKeysIn } from '../../bridge/mongo/archive-keys.ts'
import { redrivesIn } from '../../bridge/mongo/redrives.ts'
import { consoleSessionsIn } from '../../bridge/mongo/sign-in-sessions.ts'
import { silentPersonsIn } from '../../bridge/mongo/silent-persons.ts'
import { actionRecorder, afterErasures } from '../../bridge/operations/audit.ts'
import { monotonic, sleep } from '../../bridge/shared/time.ts'
import { type Console, startConsole } from '../../console/console.ts'
import { consoleHandlers, type HandlersDeps } from '../../console/handlers.ts'
import { consumerGroups } from '../consumer-groups.ts'
import { operations } from '../operations.ts'
import type { Ports } from '../ports.ts'
import { version } from '../version.ts'

/** What the console shows of the whole bridge, and how it learns that the bridge stops. */
type Shown = Pick<HandlersDeps, 'readiness' | 'gates'> & { readonly stopping: AbortSignal }

/** The console. Without keys it cannot read the archive. */
export const openConsole = (
  { settings, kafka, mongo, erasures, rebuilds, missed, log }: Ports,
  archiveKeys: WrappingKeys | undefined,
  { readiness, gates, stopping }: Shown,
): Console => {
  const recordActionOf = (who: string) => afterErasures(actionRecorder(kafka.append, now, who), missed.apply)
  const keysOfArchive = mongo.query(archiveKeysIn)
  return startConsole({
    settings: settings.console,
    accountIds: settings.accounts.map(({ id }) => id),
    store: mongo.query(consoleSessionsIn),
    recordActionOf,
    dataDir: settings.dataDir,
    log,
    sleep,
    monotonic,
    trustedProxies: settings.http.trustedProxies,
    clock: () => new Date(),
    stopping,
    handlers: consoleHandlers({
      recordActionOf,
      rebuilds,
      restore: archiveKeys && restorer(dataKeys(keysOfArchive, archiveKeys)),
      kafka,
      mongoQuery: mongo.query,
      redrives: mongo.query(redrivesIn),
      erasures,
      silentPersons: mongo.query(silentPersonsIn),
      archiveKeys: keysOfArchive,
      accounts: settings.accounts,
      readiness,
      version,
      retentionDays: settings.retentionDays,
      topicPrefix: settings.topics.prefix,
      groups: consumerGroups,
      operations,
      gates,
      traceUrlTemplate: settings.console.traceUrlTemplate,
    }),
  })
}
