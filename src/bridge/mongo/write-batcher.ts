import { setImmediate as afterOthers } from 'node:timers/promises'
import { inActiveSpan } from '../adapters/tracing.ts'
import type { Failure } from '../domain/log/record.ts'
import type { ApplyChanges } from '../views/document.ts'

type Waiting = {
  /** Runs a function as a part of the caller's span. */
  readonly inSpan: ReturnType<typeof inActiveSpan>
  readonly changes: Parameters<ApplyChanges>[0]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

const count = (waiting: ReadonlyArray<Waiting>) => waiting.reduce((sum, { changes }) => sum + changes.length, 0)

/** The default. While one apply folds, another writes and a third waits for the disk. */
const usualAtOnce = 3
/** This many waiting changes start another apply in parallel. Fewer wait until the running one ends. */
const parallelFrom = 1_000

/**
 * Batches changes (group commit). Changes that arrive while an apply is running go together into the next one, each
 * caller's changes in the order of its calls. If many changes wait, the next apply runs in parallel, so that this
 * process folds while MongoDB writes. Compare and set (optimistic-update.ts) resolves conflicts of two applies at one
 * document. A caller that needs an order waits for its call before the next one. When a batch fails, every caller gets
 * the error. But if it is the documents' own fault (`permanent`), each caller's changes are applied separately, so that
 * only the faulty ones fail.
 */
export const writeBatcher = ({
  applyChanges,
  classify,
  atOnce = usualAtOnce,
}: {
  readonly applyChanges: ApplyChanges
  readonly classify: (error: unknown) => Failure
  /** How many applies may run at the same time. */
  readonly atOnce?: number
}): ApplyChanges => {
  let waiting: ReadonlyArray<Waiting> = []
  let underWay = 0

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

  const isDue = () => waiting.length > 0 && (underWay === 0 || (underWay < atOnce && count(waiting) >= parallelFrom))

  const run = async (): Promise<void> => {
    // The partitions of one fetch come in turns of the event loop that follow one another.
    for (let known = 0; waiting.length > known; ) {
      known = waiting.length
      await afterOthers()
    }
    if (!isDue()) return
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
