import type { DamageCount } from './damage.ts'
import { drain, type ToKafka } from './drain.ts'
import { type Journal, sumOf } from './journal.ts'
import type { Found, Journals, Orphan, Unusable } from './journals.ts'

/**
 * `journals`: how many folders without a process are not drained yet. `records`: how many records are in those that can
 * be opened. `unusable`: the folders that cannot be opened. `damaged`: the damage that was found in all since the
 * start.
 */
export type OrphansState = {
  readonly journals: number
  readonly records: number
  readonly unusable: ReadonlyArray<Unusable>
  readonly damaged: DamageCount
}

const searchEveryMs = 10_000

/** Drains the journals of ended processes to Kafka: those found at the start, and those found later. */
export const drainOrphans = (found: ReadonlyArray<Orphan>, { adopt, ...kafka }: Pick<Journals, 'adopt'> & ToKafka) => {
  const { log, sleep } = kafka
  const stopping = new AbortController()
  const { signal } = stopping
  const draining = new Set<Orphan>()
  const journals: Journal[] = []
  let unusable: Found['unusable'] = []

  const drainOne = (journalName: string, journal: Journal) =>
    drain({
      ...kafka,
      journal,
      journalName,
      stopping: signal,
      report: (event) => event === 'Drained',
      written: async () => undefined,
    })

  const take = async (orphan: Orphan): Promise<void> => {
    const { dir, journals: own } = orphan
    draining.add(orphan)
    journals.push(...own)
    log.warn({ dir, records: sumOf(own.map(({ state }) => state())).records }, 'a journal without a process is drained')
    await Promise.all(own.map((journal) => drainOne(dir, journal)))
    // After a stop, `stop` closes the journals with the remaining records.
    if (signal.aborted || !draining.delete(orphan)) return
    await orphan.close()
    log.info({ dir }, 'the journal without a process is empty')
  }

  const search = async () => {
    const { orphans, unusable: failed } = await adopt()
    for (const { dir, reason } of failed)
      if (!unusable.some((known) => known.dir === dir))
        log.error({ dir, reason }, 'a journal without a process cannot be opened')
    unusable = failed
    orphans.forEach(take)
  }

  const run = async () => {
    found.forEach(take)
    while (!signal.aborted) {
      await sleep(searchEveryMs, signal)
      if (!signal.aborted) await search()
    }
  }
  const running = run()

  return {
    state: (): OrphansState => {
      const { records, damaged } = sumOf(journals.map(({ state }) => state()))
      return { journals: draining.size + unusable.length, records, unusable, damaged }
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      await running
      await Promise.all([...draining].map(({ close }) => close()))
    },
  }
}
