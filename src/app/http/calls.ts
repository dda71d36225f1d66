import type { MessagePort, Worker } from 'node:worker_threads'

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>
type Result<F extends Functions, Name extends keyof F> = Promise<Awaited<ReturnType<F[Name]>>>

/** Calls of functions on the other side of a port; arguments and results are cloned, a rejection is told without its cause. */
export type Calls<Theirs extends Functions> = {
  readonly call: <Name extends keyof Theirs>(name: Name, ...args: Parameters<Theirs[Name]>) => Result<Theirs, Name>
  /** Calls it without hearing what came of it. */
  readonly tell: <Name extends keyof Theirs>(name: Name, ...args: Parameters<Theirs[Name]>) => void
  /** The same once for all of a turn, with what has been gathered by its end; bytes that are given are theirs from then on. */
  readonly tellAtEnd: <Name extends keyof Theirs>(name: Name, gathered: () => Parameters<Theirs[Name]>) => void
}

/** Lists without names in them, one value after the other: a name costs as much as what it stands for. */
type Message = {
  /** Name, id (0 where nobody waits for the answer), arguments. */
  readonly asked: unknown[]
  /** Id, result. */
  readonly answered: unknown[]
  readonly failed: number[]
}

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

/**
 * Joins two threads: each side gives the functions that the other may call. What is said in one turn of the event loop goes in one
 * message, since a message of its own costs more than the record that it carries.
 */
export const joined = <Theirs extends Functions>(port: MessagePort | Worker, mine: Functions): Calls<Theirs> => {
  const waiting = new Map<number, Waiting>()
  let outbox: Message | undefined
  let gathering: Array<readonly [name: string, gathered: () => ReadonlyArray<unknown>]> = []
  let last = 0

  const send = () => {
    const { asked, answered, failed } = outbox ?? opened()
    const bytes: ArrayBuffer[] = []
    for (const [name, gathered] of gathering) {
      const args = gathered()
      for (const arg of args) if (arg instanceof Uint8Array) bytes.push(arg.buffer as ArrayBuffer)
      asked.push(name, 0, args)
    }
    gathering = []
    outbox = undefined
    port.postMessage({ asked, answered, failed }, bytes)
  }
  const opened = (): Message => {
    if (outbox === undefined) {
      outbox = { asked: [], answered: [], failed: [] }
      setImmediate(send)
    }
    return outbox
  }
  const answer = async (name: string, id: number, args: ReadonlyArray<unknown>) => {
    try {
      const result = await mine[name]?.(...(args as never[]))
      if (id !== 0) opened().answered.push(id, result)
    } catch {
      if (id !== 0) opened().failed.push(id)
    }
  }
  const asker = (id: number) => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }
  port.on('message', ({ asked, answered, failed }: Message) => {
    for (let i = 0; i < answered.length; i += 2) asker(Number(answered[i]))?.resolve(answered[i + 1])
    for (const id of failed) asker(id)?.reject(new Error('a call to the other thread has failed'))
    for (let i = 0; i < asked.length; i += 3)
      answer(String(asked[i]), Number(asked[i + 1]), asked[i + 2] as ReadonlyArray<unknown>)
  })

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
        opened().asked.push(String(name), id, args)
      }),
    tell: (name, ...args) => {
      opened().asked.push(String(name), 0, args)
    },
    tellAtEnd: (name, gathered) => {
      opened()
      gathering.push([String(name), gathered])
    },
  }
}
