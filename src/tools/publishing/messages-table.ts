import { messageTypes } from '../../../contracts/messages/index.ts'
import type { Table } from './table.ts'

/** The table of the guide for bot authors. */
export const messagesTable = (): Table => ({
  head: ['`message.type`', 'fields', 'bounds'],
  rows: messageTypes.map(({ type, guide: { fields, bounds } }) => [`\`${type}\``, fields, bounds]),
})
