import type { NewTopic, TopicReport } from '../../../bridge/kafka/topics/settings.ts'
import type { EventOf, ResultOf } from '../../../bridge/operations/operation.ts'
import type { ProgressEvent } from '../../../bridge/operations/progress.ts'
import type { Example } from '../../../bridge/operations/rebuild/differences.ts'
import type { Ending } from '../../../bridge/operations/rebuild/rebuild.ts'
import type { RebuildEvent } from '../../../bridge/operations/rebuild/replay.ts'
import type { StopCause } from '../../../bridge/operations/rebuild/run.ts'
import type { topics } from '../../../bridge/operations/topics.ts'
import { count, counted } from '../../browser/format.ts'

const listed = (names: ReadonlyArray<string>) => names.join(', ')

const exampleWords = ({ id, what }: Example): string => {
  if (what === 'only live') return `${id}: only the live view has it`
  return what === 'only rebuilt' ? `${id}: the live view lacks it` : `${id}: ${listed(what)}`
}

const comparedWords = (event: Extract<RebuildEvent, { kind: 'compared' }>): ReadonlyArray<string> => {
  const { view, same, different, examples, older, crowded, moving } = event
  const parts = [
    `${counted(same, 'document')} the same`,
    ...(different > 0 ? [`${count(different)} different`] : []),
    ...(older > 0 ? [`${count(older)} older than the records that topics keep, and not compared`] : []),
    ...(crowded > 0 ? [`${count(crowded)} beyond the limit of an account, and not compared`] : []),
    ...(moving > 0 ? [`${count(moving)} changing all the time, and not compared`] : []),
  ]
  const more = different - examples.length
  return [
    `${view}: ${parts.join(', ')}`,
    ...examples.map(exampleWords),
    ...(more > 0 ? [`and ${count(more)} more`] : []),
  ]
}

/** What a rebuild says, as lines of the page. */
export const rebuildWords = (event: Exclude<RebuildEvent, ProgressEvent<unknown>>): ReadonlyArray<string> => {
  switch (event.kind) {
    case 'cut-off':
      return [`The first records are missing in ${listed(event.partitions)}. The views would lack them.`]
    case 'refused':
      return [`${counted(event.records, 'record')} cannot be read or stored. They are dead letters, and in no view.`]
    case 'counted':
      return [`${event.view}: ${counted(event.rebuilt, 'document')}, the live view has ${count(event.live)}`]
    case 'compared':
      return comparedWords(event)
    case 'swapped':
      return [`Swapped: ${listed(event.views)}.`]
  }
}

/** How far a rebuild is. */
export const rebuildProgressWords = ({ step, done, total, waitsFor }: Extract<RebuildEvent, { kind: 'progress' }>) => {
  const [what, unit] =
    step === 'replaying'
      ? ['Read', 'records']
      : step === 'computing'
        ? ['Computed', 'days']
        : [`Compared with ${step.comparing}`, 'documents']
  const waits = waitsFor === undefined ? '' : ` It waits: ${waitsFor}.`
  return `${what}: ${count(done)} of ${count(total)} ${unit}.${waits}`
}

const choice = 'Continue it, or drop it.'

const causeWords = (why: StopCause): string => {
  switch (why.kind) {
    case 'interrupted':
      return 'It was interrupted.'
    case 'taken-over':
      return 'Another process has taken it over.'
    case 'swap':
      return `The live views ${listed(why.views)} could not be replaced in time.`
    case 'failure':
      return `It stopped: ${why.reason}.`
  }
}

/** What is to be known of the end of a rebuild, besides whether it is done. */
export const endingWords = (ending: Ending): ReadonlyArray<string> => {
  switch (ending.kind) {
    case 'done':
    case 'different':
    case 'discarded':
      return []
    case 'refused':
      return ending.why.kind === 'no-records'
        ? [`The log has nothing for ${listed(ending.why.views)}, so no view was replaced. ${choice}`]
        : ['Its collections are missing, so it can only be dropped.']
    case 'not-begun':
      return [`Nothing was done: ${ending.reason}.`]
    case 'stopped':
      return [`${causeWords(ending.why)} ${choice}`]
    case 'nothing-interrupted':
    case 'nothing-to-discard':
      return ['No rebuild was interrupted.']
    case 'busy':
      return ['A rebuild is running: wait until it has ended.']
    case 'no-dry-run':
      return [`The interrupted rebuild is no dry run. ${choice}`]
    case 'cut-off':
      return ['No view was replaced. On the command line --force does it anyway.']
    case 'other-views':
      return [`The interrupted rebuild is of ${listed(ending.views)}. ${choice}`]
    case 'recreated':
      return [
        `These topics were deleted and created again after the rebuild began: ${listed(ending.topics)}. Drop it, then begin a new one.`,
      ]
    case 'interrupted-before': {
      const what = ending.isDry ? 'dry run' : 'rebuild'
      return [`A ${what} of ${listed(ending.views)} that began at ${ending.startedAt} was interrupted. ${choice}`]
    }
  }
}

const topicWords = (topic: TopicReport | NewTopic): ReadonlyArray<string> => {
  const { name, partitions } = topic
  if ('config' in topic) {
    const settings = Object.entries(topic.config).map(([setting, value]) => `${setting}=${value}`)
    return [`${name}: ${counted(partitions, 'partition')}, ${listed(settings)}`]
  }
  const { key, replication, cleanUp, differences } = topic
  return [
    `${name}: key ${key}, ${counted(partitions, 'partition')}, replication ${replication}, ${cleanUp}`,
    ...differences.map((difference) => `! ${difference}`),
  ]
}

/** The operations of which the page speaks in words of its own. What others say is shown as it is. */
type Worded = typeof topics

type Words = {
  readonly [O in Worded as O['name']]: {
    readonly event: (event: EventOf<O>) => ReadonlyArray<string>
    readonly result: (result: ResultOf<O>) => ReadonlyArray<string>
  }
}

const words: Words = {
  topics: { event: () => [], result: (reports) => reports.flatMap(topicWords) },
}

type AnyWords = {
  readonly event: (event: unknown) => ReadonlyArray<string>
  readonly result: (result: unknown) => ReadonlyArray<string>
}

const asJson = (value: unknown) => (value === undefined ? [] : JSON.stringify(value, null, 2).split('\n'))

/** The words of the operation with this name: they have its types. */
export const wordsOf = (name: string): AnyWords =>
  (Object.hasOwn(words, name) ? words[name as keyof Words] : { event: asJson, result: asJson }) as AnyWords
