import { messageTypes } from '../../contracts/messages/index.ts'

/** The table of the guide for bot authors. */
export const messagesTable = (): {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
} => ({
  head: ['`message.type`', 'fields', 'bounds'],
  rows: messageTypes.map(({ type, guide: { fields, bounds } }) => [`\`${type}\``, fields, bounds]),
})
