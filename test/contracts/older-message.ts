import * as t from 'io-ts'
import { earlierVersion } from '../../contracts/events/versions.ts'
import { AccountId, exactShape, Id, Instant } from '../../contracts/primitives.ts'
import { UnixTime } from '../../contracts/wire.ts'

/** What a first version of ClientMessageReceived might have been: text messages only, and both ids in one field. */
const First = exactShape({ accountId: AccountId, chat: t.string, text: t.string, sentAt: UnixTime }, {}, 'First')

/** What a second version might have been: separate ids, but still text messages only. */
const Second = exactShape(
  { accountId: AccountId, chatId: Id, clientId: Id, text: t.string, sentAt: Instant },
  {},
  'Second',
)

/** Two invented versions of ClientMessageReceived. With them, today's version would be the third. */
export const olderMessage = [
  earlierVersion('ClientMessageReceived', First, ({ chat, ...rest }) => {
    const [chatId, clientId] = chat.split('/')
    return { ...rest, chatId, clientId }
  }),
  earlierVersion('ClientMessageReceived', Second, ({ text, sentAt, ...ids }) => ({
    ...ids,
    message: { type: 'TEXT', text, timestamp: sentAt },
  })),
]

const ids = { accountId: 'acme', chatId: '2037', clientId: '1233' }

/** The same message in the data of each version. */
export const dataOfVersions = [
  { accountId: 'acme', chat: '2037/1233', text: 'Hello', sentAt: 1665415879 },
  { ...ids, text: 'Hello', sentAt: '2022-10-10T15:31:19.000Z' },
  { ...ids, message: { type: 'TEXT', text: 'Hello', timestamp: '2022-10-10T15:31:19.000Z' } },
] as const

/** The headers of the message's record in a version. */
export const headersOfVersion = (version: number, time: string) => ({
  ce_specversion: '1.0',
  ce_id: `message-v${version}`,
  ce_type: `livechat.ClientMessageReceived.v${version}`,
  ce_source: '/accounts/acme/bot',
  ce_subject: '2037',
  ce_time: time,
  ce_dataschema: `urn:livechat:schemas:ClientMessageReceived.v${version}`,
  'content-type': 'application/json',
})
