import type { Noise } from '../chat.ts'
import type { AnswerFigures } from '../figures.ts'
import type { Group } from '../groups.ts'
import type { Verdict } from '../judge.ts'
import type { Offsets } from '../logged-records.ts'
import type { Skipped } from '../source.ts'

/** What a run has found, apart from the single turns. */
export type Report = {
  readonly account: string
  readonly from: string
  readonly to: string
  /** What was asked, for people: the module's path or the consumer group. */
  readonly candidate: string
  readonly baseline?: string
  /** Of the code of the bot, if it is in a git repository: with `-dirty` if it has changes. */
  readonly commit?: string
  /** What limits the comparison: over Kafka clocks are real and the network is open. */
  readonly notes: ReadonlyArray<string>
  readonly chats: {
    readonly read: number
    readonly compared: number
    readonly skipped: Readonly<Record<Skipped, number>>
  }
  readonly turns: Readonly<Record<Verdict, number>>
  /** Only with a baseline. */
  readonly noise?: Noise
  readonly groups: ReadonlyArray<Group>
  /** How many groups are neither accepted nor of a kind that does not fail. */
  readonly new: number
  readonly figures: {
    readonly observed: AnswerFigures
    readonly baseline?: AnswerFigures
    readonly candidate: AnswerFigures
  }
  readonly offsets: Offsets
  /** Records that cannot be decoded, or differ from what was archived. */
  readonly unreadable: number
  /** With words: the day by which the files must be deleted. */
  readonly deleteBy?: string
  readonly madeAt: string
}
