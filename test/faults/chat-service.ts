import { type ServiceAccount, serviceAccountOf } from '../../src/simulator/account.ts'
import { startService } from '../../src/simulator/service.ts'
import type { ReceivedRequest } from '../../src/simulator/state.ts'
import { freePort } from './bridge-process.ts'
import type { Cluster } from './cluster.ts'
import type { Defence } from './defences.ts'
import type { ShownReply } from './reply-checker.ts'
import { type World, world } from './world.ts'

type Settings = Parameters<typeof world>[2]

const shownBy = ({ at, event, applied }: ReceivedRequest): ReadonlyArray<ShownReply> =>
  applied && event?.event === 'BOT_MESSAGE' ? [{ chat: event.chat_id, id: event.id, text: event.message.text, at }] : []

/** A world whose account, and others, have a chat service, outside of the bridge, that keeps every request. */
export const worldWithService = async (
  cluster: Cluster,
  without?: Defence,
  settings: Settings = {},
  others: ReadonlyArray<ServiceAccount> = [],
) => {
  const port = await freePort()
  const here: World = await world(cluster, without, { baseUrl: `http://127.0.0.1:${port}`, ...settings })
  const service = await startService({ port, accounts: [serviceAccountOf(here.account), ...others] })
  cluster.afterwards(service.stop)
  return {
    here,
    service,
    /** What clients have seen, in the order in which it came. */
    shown: () => service.requests().flatMap(shownBy),
    /** The requests of one command, in the order in which they came. */
    requestsById: () =>
      Map.groupBy(
        service.requests().filter(({ event }) => event !== undefined),
        ({ event }) => event?.id ?? '',
      ),
  }
}
export type ChatService = Awaited<ReturnType<typeof worldWithService>>['service']
