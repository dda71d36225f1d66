import type { Plan } from './plan.ts'
import type { Part, Ports } from './ports.ts'
import { startArchiver } from './roles/archiver.ts'
import { startEgress } from './roles/egress.ts'
import type { Ingress } from './roles/ingress.ts'
import { startProjector } from './roles/projector.ts'
import { startRetainDays, startRetention } from './roles/retention.ts'

/** Starts the parts of the roles one after the other until the process ends. Each is in `parts` as soon as it runs. */
export const startParts = async (
  ports: Ports,
  { runs, archiveKeys }: Plan,
  ingress: Ingress | undefined,
  parts: Part[],
  ending: AbortSignal,
): Promise<void> => {
  const start = async <P extends Part>(begin: () => P | undefined | Promise<P>): Promise<P | undefined> => {
    const part = ending.aborted ? undefined : await begin()
    if (part !== undefined) parts.push(part)
    return part
  }
  if (ingress !== undefined) await start(ingress.start)
  if (runs('projector')) await start(() => startProjector(ports))
  if (runs('egress')) await start(() => startEgress(ports))
  const archiving = runs('archiver') && archiveKeys ? await start(() => startArchiver(ports, archiveKeys)) : undefined
  if (runs('projector') || runs('archiver')) await start(() => startRetention(ports, archiving))
  if (runs('archiver')) await start(() => startRetainDays(ports))
}
