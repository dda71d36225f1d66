import { botReplies } from '../../contracts/topics.ts'
import { fromRecord } from '../kafka/cloud-event.ts'
import { fromCommand } from '../kafka/decode.ts'
import type { Decode } from '../projections/decoded.ts'

/** Reads what the views are folded from: events, and the commands of bot-replies. */
export const decodeRecord: Decode = (record) =>
  record.topic === botReplies.name ? fromCommand(record) : fromRecord(record)
