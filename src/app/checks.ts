import { allChecks, type CheckHealth, type CheckName } from '../bridge/domain/checks.ts'
import type { Role } from '../bridge/domain/roles.ts'
import type { Plan } from './plan.ts'
import type { ChecksOf } from './ports.ts'

/** A dependency that may be unavailable for a while. Its failure is reported but does not make the process unready. */
const optional =
  (check: CheckHealth, instead: string): CheckHealth =>
  async () => {
    const health = await check()
    return health.ok ? health : { ok: true, isLimited: true, reason: `${health.reason}; ${instead}` }
  }

type ServerChecks = Required<Pick<ChecksOf, 'kafka' | 'mongodb' | 'topics and indexes'>>

/** A process with only the role ingress is ready without Kafka and MongoDB: its journal replaces Kafka for a while. */
const serverChecksFor = (servers: ServerChecks, roles: ReadonlyArray<Role>): ServerChecks =>
  roles.some((role) => role !== 'ingress')
    ? servers
    : {
        kafka: optional(servers.kafka, 'new records go to the journal'),
        mongodb: optional(servers.mongodb, 'answers are sent without enrichments'),
        'topics and indexes': optional(servers['topics and indexes'], 'the bridge keeps trying to create them'),
      }

const awaitedBy = (roles: ReadonlyArray<Role>): ReadonlyArray<CheckName> =>
  allChecks.flatMap(({ name, of, failsUntilStarted }) =>
    failsUntilStarted && of !== 'all' && of.some((role) => roles.includes(role)) ? [name] : [],
  )

const notStarted: CheckHealth = () => ({ ok: false, reason: 'has not started yet' })

/**
 * The checks of a process until its parts run. Those of roles that wait for topics and indexes fail, so that the
 * process is not ready before its roles run.
 */
export const checksBeforeStart = (
  servers: ServerChecks,
  roles: ReadonlyArray<Role>,
  { lacking }: Plan,
  ofIngress: ChecksOf = {},
): { [N in CheckName]?: CheckHealth } => ({
  ...serverChecksFor(servers, roles),
  ...Object.fromEntries(awaitedBy(roles).map((name) => [name, notStarted])),
  ...ofIngress,
  ...Object.fromEntries(
    [...lacking].map(([role, reason]) => [
      role,
      () => ({ ok: true, isLimited: true, isOff: true, reason: `does not run: ${reason}` }),
    ]),
  ),
})
