import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import { project } from './project.ts'
import { type Simulation, simulation } from './simulation.ts'
import { botMessage, serviceEvent } from './values.ts'

type ServiceEventType = Parameters<typeof serviceEvent>[0]

/** Appends an event of the service, at the current time. */
export const appendServiceEvent = (w: Simulation, type: ServiceEventType, eventId: string, chatId?: string) =>
  w.log.appendEvent(serviceEvent(type, eventId, w.time.now(), chatId))

/** The projector has handled this many events of the log. */
export const projected = (w: Simulation, upTo: number) => {
  w.projector.committed = upTo
  const views = project(w.log.events.slice(0, upTo) as ReadonlyArray<ConversationEvent>)
  for (const [id, document] of views.conversations) w.views.set(`conversations/${id}`, document)
  for (const [id, document] of views.deliveries) w.views.set(`deliveries/${id}`, document)
}

/** The requests so far: the command's id and when it was sent, in ms since the beginning. */
export const sent = (w: Simulation): ReadonlyArray<readonly [id: string, at: number]> =>
  w.requests.map(({ body, at }) => [body.id, at])

/** What the worker has published: the type of each event, and the reason. */
export const publishedBy = (w: Simulation) =>
  w.log.events.flatMap((event) => {
    if (!event.source.endsWith('/egress')) return []
    const { data } = event
    const why = 'reason' in data ? data.reason : 'because' in data ? data.because : undefined
    return [[event.type, why] as const]
  })

/** Something that happens at a time, in ms since the beginning. */
export type Step = readonly [at: number, happens: (w: Simulation) => void]

export const serviceTells = (at: number, type: ServiceEventType, eventId: string, chatId?: string): Step => [
  at,
  (w) => appendServiceEvent(w, type, eventId, chatId),
]
export const clientWrites = (at: number, eventId: string): Step => serviceTells(at, 'ClientMessageReceived', eventId)
export const botReplies = (at: number, commandId: string, inReplyTo: string): Step => [
  at,
  (w) => w.command(botMessage(commandId, { inReplyTo })),
]

/** A worker to which this happens, a minute after the last of it. */
export const played = async (
  steps: ReadonlyArray<Step>,
  options?: Parameters<typeof simulation>[0],
): Promise<Simulation> => {
  const w = simulation(options)
  await w.start()
  for (const [at, happens] of steps) {
    await w.time.pass(at - w.time.monotonic())
    happens(w)
  }
  await w.time.pass(60_000)
  return w
}
