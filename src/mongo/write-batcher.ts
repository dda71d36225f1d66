import type { ApplyChanges, Failure, Sleep } from '../domain/ports.ts'
import { inActiveSpan } from '../domain/tracing.ts'

type Waiting = {
  /** As a part of the caller's span. */
  readonly inSpan: ReturnType<typeof inActiveSpan>
  readonly changes: Parameters<ApplyChanges>[0]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

type Deps = {
  readonly applyChanges: ApplyChanges
  readonly classify: (error: unknown) => Failure
  readonly sleep: Sleep
  /** How many applies may be under way. */
  readonly atOnce?: number
}

const count = (waiting: ReadonlyArray<Waiting>) => waiting.reduce((sum, { changes }) => sum + changes.length, 0)

/** A trickle is let gather for so long: an apply costs the same few round trips for one document as for a hundred. */
const gatherMs = 20
const plenty = 100
/** Where nothing else is asked for: while one is folded another is written, and a third waits for the disk. */
const usualAtOnce = 3
/** What is worth an apply beside another: less waits for that one, and goes with what comes meanwhile. */
const worthItsOwn = 1_000

/**
 * What comes while an apply is under way waits and goes together next (group commit), each caller's changes in the order of
 * its calls; where there is much of it, beside the one under way, so that this process folds while MongoDB writes. Two that
 * meet at a document are told apart by compare and set (optimistic-update.ts). A caller that needs an order waits for its call before it
 * makes the next. When what went together fails, every caller is told so; but where that is the documents' own
 * fault (`permanent`), each caller's changes are applied by themselves, so that only the faulty one's fail.
 */
export const writeBatcher = ({ applyChanges, classify, sleep, atOnce = usualAtOnce }: Deps): ApplyChanges => {
  let waiting: ReadonlyArray<Waiting> = []
  let underWay = 0
  let gathering = false

  const commit = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    try {
      const changes = batch.flatMap((each) => each.changes)
      await (batch[0] ? batch[0].inSpan(() => applyChanges(changes)) : undefined)
      for (const { done } of batch) done()
    } catch (error) {
      if (batch.length === 1 || classify(error).kind === 'transient') {
        for (const { failed } of batch) failed(error)
      } else for (const one of batch) await commit([one])
    }
  }

  const isDue = () => waiting.length > 0 && (underWay === 0 || (underWay < atOnce && count(waiting) >= worthItsOwn))

  const run = async (): Promise<void> => {
    if (gathering || !isDue()) return
    gathering = true
    if (count(waiting) < plenty) await sleep(gatherMs)
    gathering = false
    const batch = waiting
    waiting = []
    underWay++
    await commit(batch)
    underWay--
    void run()
  }

  return (changes) =>
    new Promise((done, failed) => {
      waiting = [...waiting, { changes, done, failed, inSpan: inActiveSpan() }]
      void run()
    })
}
