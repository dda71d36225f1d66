import type { Either } from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { ConversationDocument, conversations } from '../../../contracts/views/conversation.ts'
import type { DeliveryDocument, deliveries } from '../../../contracts/views/delivery.ts'
import type { Account, IssueToken } from '../domain/accounts.ts'
import type { Now } from '../domain/clock.ts'
import type { Undecodable } from '../domain/decode-json.ts'
import type { EndOffsets } from '../domain/log/positions.ts'
import type { DeadLetter, IncomingRecord, Publish } from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import type { PostToService } from './delivery/post.ts'
import type { Refusal } from './delivery/refusal.ts'

/** Reads one document of the views that decide about replies. */
export type ReadDocument = {
  (view: typeof conversations.name, id: string): Promise<ConversationDocument | undefined>
  (view: typeof deliveries.name, id: string): Promise<DeliveryDocument | undefined>
}

export type DecodeCommand = (record: IncomingRecord) => Either<Refusal, BotReply>
export type DecodeEvent = (record: IncomingRecord) => Either<Undecodable, DomainEvent>

/**
 * The conversations of these accounts whose client waits for a message (`silentSince`). Only conversations with an
 * event after `since`, and with records in this partition of bot-conversations.
 */
export type OpenTurns = (
  partition: number,
  accountIds: ReadonlyArray<string>,
  since: Date,
) => Promise<ReadonlyArray<ConversationDocument>>

/**
 * Where the views end in a partition of bot-conversations. `isOfThisLog` is false if their documents are made from
 * another log: then their places mean nothing in this one, and the offset is 0.
 */
export type ViewsEnd = { readonly offset: number; readonly isOfThisLog: boolean }

/**
 * Records of bot-replies in their order. `from` is the offset that was asked for, or the first one that the log still
 * has if that is a later one.
 */
export type FetchedCommands = { readonly from: number; readonly records: ReadonlyArray<IncomingRecord> }

/** All that egress needs from outside. `random` is in [0, 1), `monotonic` in ms from any start. */
export type EgressPorts = {
  readonly accounts: ReadonlyArray<Account>
  readonly readDocument: ReadDocument
  readonly openTurns: OpenTurns
  readonly publish: Publish
  readonly deadLetter: DeadLetter
  /**
   * Appends a command again if it is in the wrong partition. True: that is done. False: this worker handles it where it
   * is. Undefined: the worker stops, and the partition's next owner handles it.
   */
  readonly reroute: (record: IncomingRecord) => Promise<boolean | undefined>
  readonly decodeCommand: DecodeCommand
  /** The next records of bot-replies from an offset on, as many as one answer has. Rejects if Kafka does not answer. */
  readonly fetchCommands: (partition: number, offset: number) => Promise<FetchedCommands>
  readonly decodeEvent: DecodeEvent
  readonly endOffsets: EndOffsets
  readonly viewsEnd: () => Promise<(partition: number) => ViewsEnd>
  readonly issueToken: IssueToken
  readonly post: PostToService
  readonly measure: Measure
  readonly log: Log
  readonly now: Now
  readonly sleep: Sleep
  readonly random: () => number
  readonly monotonic: () => number
}
