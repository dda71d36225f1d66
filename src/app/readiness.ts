import type { CheckHealth } from '../domain/ports.ts'
import type { Role } from './roles.ts'

/** A dependency that a process can do without for a while: its trouble is told, but does not make the process unready. */
const spared =
  (check: CheckHealth, instead: string): CheckHealth =>
  async () => {
    const { ok, reason } = await check()
    return ok ? { ok, reason } : { ok: true, reason: `${reason}; ${instead}` }
  }

type Servers = {
  readonly kafka: CheckHealth
  readonly mongodb: CheckHealth
  readonly 'topics and indexes': CheckHealth
}

/** A process that only takes requests in is ready as long as its journal is: the journal is for the time without Kafka. */
export const serverChecks = (servers: Servers, roles: ReadonlyArray<Role>): Readonly<Record<string, CheckHealth>> =>
  roles.some((role) => role !== 'ingress')
    ? servers
    : {
        kafka: spared(servers.kafka, 'the journal takes what comes'),
        mongodb: spared(servers.mongodb, 'answers go out without enrichments'),
        'topics and indexes': spared(servers['topics and indexes'], 'they are waited for'),
      }
