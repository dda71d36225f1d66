import { enrichments, eventTopicNames } from '../../../contracts/topics.ts'
import { enrichmentsGroup, viewsGroup } from '../domain/consumer-groups.ts'
import { enrichmentKeys, type Person } from '../domain/person/person.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import { readOrThrow } from '../kafka/read-topic.ts'
import type { Sleep } from '../shared/time.ts'

const lookAgainMs = 250
const currentWithinMs = 60_000

/** Why nothing is done with a person's data. */
export const notCurrent =
  'The views lack events that the topics have, so chats of this person may be missing. Start the role projector, wait until its lag is 0, and repeat.'

type Waiting = { readonly withinMs: number; readonly clock: () => number; readonly sleep: Sleep }

/** Waits until the projector has processed everything that the event topics have at the call. False: not in time. */
export const viewsReachEnd = async (
  { ranges, committedOffsets }: Pick<KafkaPorts, 'ranges' | 'committedOffsets'>,
  { withinMs, clock, sleep }: Waiting,
): Promise<boolean> => {
  const until = clock() + withinMs
  for (const name of eventTopicNames) {
    const ends = await ranges(name)
    for (;;) {
      const done = await committedOffsets(viewsGroup, name)
      if ([...ends].every(([partition, { low, high }]) => (done.get(partition) ?? low) >= high)) break
      if (clock() >= until) return false
      await sleep(lookAgainMs)
    }
  }
  return true
}

/** True if the projector has processed everything that was in the event topics a minute ago. */
export const viewsAreCurrentIn =
  (
    { ranges, offsetsAt, committedOffsets }: Pick<KafkaPorts, 'ranges' | 'offsetsAt' | 'committedOffsets'>,
    now: () => number,
  ) =>
  async (): Promise<boolean> => {
    const all = eventTopicNames.map(async (name) => {
      const [known, wanted, done] = await Promise.all([
        ranges(name),
        offsetsAt(name, now() - currentWithinMs),
        committedOffsets(viewsGroup, name),
      ])
      return [...known].every(([partition, { low }]) => (done.get(partition) ?? low) >= (wanted.get(partition) ?? low))
    })
    return (await Promise.all(all)).every(Boolean)
  }

/** The keys of enrichments about a person that are in the topic and that no consumer has stored yet. */
export const unreadEnrichments = async (
  { readTopic, committedOffsets }: Pick<KafkaPorts, 'readTopic' | 'committedOffsets'>,
  accountId: string,
  person: Pick<Person, 'identities'>,
): Promise<ReadonlyArray<string>> => {
  const wanted = new Set(enrichmentKeys(accountId, person))
  const done = await committedOffsets(enrichmentsGroup, enrichments.name)
  const found = new Set<string>()
  await readOrThrow(
    readTopic,
    enrichments.name,
    async (records) => {
      for (const { key, value } of records)
        if (value === null) found.delete(`${key}`)
        else if (wanted.has(`${key}`)) found.add(`${key}`)
    },
    { part: (partition, { low, high }) => ({ low: Math.min(high, Math.max(low, done.get(partition) ?? low)), high }) },
  )
  return [...found]
}
