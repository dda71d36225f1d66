import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

type Question = { readonly id: number; readonly ask: unknown }
type Answer = { readonly id: number; readonly answer?: unknown; readonly error?: string }

/** The inside of a worker: answers the bench's questions, one by one or in parallel; ends with the bench. */
export const serve = <Ask>(answer: (ask: Ask) => Promise<unknown>) => {
  process.on('disconnect', () => process.exit())
  process.on('message', async ({ id, ask }: Question) => {
    const reply: Answer = await answer(ask as Ask).then(
      (given) => ({ id, answer: given }),
      (error: Error) => ({ id, error: `${error.stack}` }),
    )
    process.send?.(reply)
  })
}

export type Worker<Ask, Given> = {
  readonly pid: number
  readonly ask: (ask: Ask) => Promise<Given>
  readonly stop: () => Promise<void>
}

const listen = (child: ChildProcess, waiting: Map<number, PromiseWithResolvers<unknown>>) => {
  child.on('message', ({ id, answer, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(answer)
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the worker ended before it answered'))
  })
}

/** Runs a file of the bench in its own process, which answers questions. */
export const startWorker = <Ask, Given>(file: string, execArgv: ReadonlyArray<string> = []): Worker<Ask, Given> => {
  const { PATH, HOME } = process.env
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env: { PATH, HOME },
    execArgv: [...execArgv],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  listen(child, waiting)
  let asked = 0
  return {
    pid: child.pid ?? 0,
    ask: (ask) => {
      const id = asked++
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      child.send({ id, ask } satisfies Question)
      return answer.promise as Promise<Given>
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
