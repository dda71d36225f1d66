import type { Role } from '../bridge/domain/roles.ts'
import type { Plan } from './plan.ts'
import type { Part, Ports } from './ports.ts'
import type { Ingress } from './roles/ingress.ts'

/**
 * The code of each role, and of the parts that not every process with a role runs. A process loads that of its own roles
 * only, so it starts sooner and takes less memory.
 */
export const roleCode = {
  ingress: () => import('./roles/ingress.ts'),
  projector: () => import('./roles/projector.ts'),
  archiver: () => import('./roles/archiver.ts'),
  egress: () => import('./roles/egress.ts'),
  console: () => import('./roles/console.ts'),
  retention: () => import('./roles/retention.ts'),
  retainDays: () => import('./roles/retain-days.ts'),
} satisfies Record<Role | 'retention' | 'retainDays', () => Promise<unknown>>

/** Starts the parts of the roles one after the other until the process ends. Each is in `parts` as soon as it runs. */
export const startParts = async (
  ports: Ports,
  { runs, archiveKeys }: Plan,
  ingress: Ingress | undefined,
  parts: Part[],
  ending: AbortSignal,
): Promise<void> => {
  const start = async <P extends Part>(begin: () => Promise<P | undefined>): Promise<P | undefined> => {
    const part = ending.aborted ? undefined : await begin()
    if (part === undefined) return undefined
    // A part that began while the process ended is not among those that the end stops.
    if (ending.aborted) await part.stop()
    else parts.push(part)
    return part
  }
  if (ingress !== undefined) await start(async () => ingress.start())
  if (runs('projector')) await start(async () => (await roleCode.projector()).startProjector(ports))
  if (runs('egress')) await start(async () => (await roleCode.egress()).startEgress(ports))
  const archiving =
    runs('archiver') && archiveKeys
      ? await start(async () => (await roleCode.archiver()).startArchiver(ports, archiveKeys))
      : undefined
  if (runs('projector') || runs('archiver'))
    await start(async () => (await roleCode.retention()).startRetention(ports, archiving))
  if (runs('archiver')) await start(async () => (await roleCode.retainDays()).startRetainDays(ports))
}
