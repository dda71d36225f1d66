import type { ApplyChanges, Change, Failure, Sleep } from '../ports.ts'

type Waiting = {
  readonly changes: ReadonlyArray<Change>
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

type Deps = {
  readonly applyChanges: ApplyChanges
  readonly classify: (error: unknown) => Failure
  readonly sleep: Sleep
}

const count = (waiting: ReadonlyArray<Waiting>) => waiting.reduce((sum, { changes }) => sum + changes.length, 0)

/** A trickle is let gather for so long: an apply costs the same few round trips for one document as for a hundred. */
const gatherMs = 20
const plenty = 100

/**
 * One apply at a time; what comes meanwhile waits and goes together next (group commit), each caller's changes in the
 * order of its calls. When what went together fails, every caller is told so; but where that is the documents' own
 * fault (`permanent`), each caller's changes are applied by themselves, so that only the faulty one's fail.
 */
export const lane = ({ applyChanges, classify, sleep }: Deps): ApplyChanges => {
  let waiting: ReadonlyArray<Waiting> = []
  let busy = false

  const commit = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    try {
      await applyChanges(batch.flatMap(({ changes }) => changes))
      for (const { done } of batch) done()
    } catch (error) {
      if (batch.length === 1 || classify(error).kind === 'transient') {
        for (const { failed } of batch) failed(error)
      } else for (const one of batch) await commit([one])
    }
  }

  const run = async (): Promise<void> => {
    busy = true
    while (waiting.length > 0) {
      if (count(waiting) < plenty) await sleep(gatherMs)
      const batch = waiting
      waiting = []
      await commit(batch)
    }
    busy = false
  }

  return (changes) =>
    new Promise((done, failed) => {
      waiting = [...waiting, { changes, done, failed }]
      if (!busy) void run()
    })
}
