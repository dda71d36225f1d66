import type { AnyOperation, EventOf, ResultOf } from '../../bridge/operations/operation.ts'
import { checkConfigWords } from '../check-config.ts'
import type { commands } from '../commands.ts'
import { archiveKeysWords, archiveReplayWords, archiveRewrapWords } from './archive.ts'
import { contractsCheckWords, contractsPublishWords, contractsReleaseWords, sampleWords } from './contracts.ts'
import { eraseReleaseWords, eraseStatusWords, eraseWords, exportWords } from './erase.ts'
import type { StepWords } from './progress.ts'
import { rebuildWords } from './rebuild.ts'
import { redriveListWords, redriveQuarantineWords, redriveSendWords, redriveShowWords } from './redrive.ts'
import { topicsWords } from './topics.ts'
import { whatIfWords } from './what-if.ts'
import type { Confirm, Line, Words } from './words.ts'

const silent: Words<never, undefined> = { result: () => [] }

type Command = (typeof commands)[number]

/** The words of each command. A command, an event, a step or a result without words does not compile. */
const all = {
  // They print what they do themselves: they run for long.
  start: silent,
  demo: silent,
  'check-config': checkConfigWords,
  'console link': { result: ({ link }) => [link] },
  topics: topicsWords,
  rebuild: rebuildWords,
  'redrive list': redriveListWords,
  'redrive show': redriveShowWords,
  'redrive send': redriveSendWords,
  'redrive quarantine': redriveQuarantineWords,
  erase: eraseWords,
  'erase status': eraseStatusWords,
  'erase release': eraseReleaseWords,
  export: exportWords,
  'archive rewrap': archiveRewrapWords,
  'archive keys': archiveKeysWords,
  'archive replay': archiveReplayWords,
  'what-if': whatIfWords,
  'contracts check': contractsCheckWords,
  'contracts release': contractsReleaseWords,
  'contracts publish': contractsPublishWords,
  sample: sampleWords,
} satisfies { readonly [C in Command as C['name']]: Words<EventOf<C>, ResultOf<C>> }

/** The words of an operation as it stands in a list, without its own types. */
export type AnyWords = {
  readonly event?: (event: unknown) => ReadonlyArray<Line>
  readonly step?: (step: unknown) => StepWords
  readonly result: (result: unknown) => ReadonlyArray<Line>
  readonly written?: (path: string, result: unknown) => ReadonlyArray<Line>
  readonly json?: (result: unknown) => unknown
  readonly confirm?: Confirm
}

/** The words have the types of the operation with this name. */
export const wordsOf = ({ name }: Pick<AnyOperation, 'name'>): AnyWords => {
  const words = (all as unknown as Readonly<Record<string, AnyWords>>)[name]
  if (words === undefined) throw new Error(`the operation ${name} has no words`)
  return words
}
