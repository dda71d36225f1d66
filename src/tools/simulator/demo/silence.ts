import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bridgeOf } from '../account.ts'
import { inChat, serviceTells } from './steps.ts'
import type { Story } from './story.ts'

/** A server that accepts every request and answers none, like a connection that is cut. */
const startSilentEndpoint = async () => {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Act, sequence 4: no regular response in time, so the service itself moves the chat to an agent. */
export const playSilence = async (story: Story) => {
  const { stage, service, account, bridgeUrl } = story
  stage.heading(
    'Sequence 4: no regular response in time',
    'The bridge itself always answers in time, so the line to it is cut: for one message an address that never answers stands in for it. The service waits 3 s, tries a second time, and moves the chat to an agent.',
  )
  const chatId = String(story.newChatId())
  const silent = await startSilentEndpoint()
  await stage.step('CLIENT_MESSAGE · the client writes “Is anybody there?”, the line is silent', async (assertions) => {
    const bridge = bridgeOf(bridgeUrl, account)
    service.connect(account.id, { ...bridge, botUrl: `${silent.url}/bot` })
    const { attempts, regular } = await service.clientWrites(chatId, 'Is anybody there?', { accountId: account.id })
    service.connect(account.id, bridge)
    const told = attempts.map((one) =>
      one.kind === 'answered' ? `HTTP ${one.status}` : `${one.reason}, ${one.tookMs} ms`,
    )
    assertions.fact('answer', !regular && attempts.length === 2, `CLIENT_MESSAGE → ${told.join('; again: ')}`)
    const chat = service.chat(chatId, account.id)
    const moved = chat?.state === 'invited' && chat.invitations.at(-1)?.by === 'service'
    assertions.fact(
      'service',
      moved,
      moved ? 'moves the chat to an agent by itself' : `has the chat in state ${chat?.state}`,
    )
  })
  await silent.stop()
  await serviceTells(story, chatId, 'AGENT_JOINED', 'the line is back, an agent takes the chat', (assertions) => {
    // A chat's events are in order: no earlier event can follow AgentJoined.
    const isIt = inChat(story, chatId)
    const message = story.log.find(({ type, data }) => type.includes('ClientMessageReceived') && isIt(data))
    const text = 'no ClientMessageReceived before it: the bridge never heard that message'
    assertions.fact(
      'Kafka',
      message === undefined,
      message === undefined ? text : 'the message is in the log after all',
    )
  })
}
