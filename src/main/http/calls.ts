import type { MessagePort, Worker } from 'node:worker_threads'

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>
type Result<F extends Functions, Name extends keyof F> = Promise<Awaited<ReturnType<F[Name]>>>

/** Calls of functions on the other side of a port; arguments and results are cloned, a rejection is told without its cause. */
export type Calls<Theirs extends Functions> = {
  readonly call: <Name extends keyof Theirs>(name: Name, ...args: Parameters<Theirs[Name]>) => Result<Theirs, Name>
  /** Calls it without hearing what came of it. */
  readonly tell: <Name extends keyof Theirs>(name: Name, ...args: Parameters<Theirs[Name]>) => void
}

type Asked = { readonly id?: number; readonly name: string; readonly args: ReadonlyArray<unknown> }
type Answered = { readonly id: number; readonly result?: unknown; readonly failed?: true }
type Message = Asked | Answered

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

const isAsked = (message: Message): message is Asked => 'name' in message

/**
 * Joins two threads: each side gives the functions that the other may call. What is said in one turn of the event loop goes in one
 * message, since a message of its own costs more than the record that it carries.
 */
export const joined = <Theirs extends Functions>(port: MessagePort | Worker, mine: Functions): Calls<Theirs> => {
  const waiting = new Map<number, Waiting>()
  let outbox: Message[] = []
  let last = 0

  const post = (message: Message) => {
    if (outbox.push(message) > 1) return
    setImmediate(() => {
      const messages = outbox
      outbox = []
      port.postMessage(messages)
    })
  }
  const answer = async ({ id, name, args }: Asked) => {
    try {
      const result = await mine[name]?.(...(args as never[]))
      if (id !== undefined) post({ id, result })
    } catch {
      if (id !== undefined) post({ id, failed: true })
    }
  }
  const hear = ({ id, result, failed }: Answered) => {
    const asker = waiting.get(id)
    waiting.delete(id)
    if (failed) asker?.reject(new Error('a call to the other thread has failed'))
    else asker?.resolve(result)
  }
  port.on('message', (messages: ReadonlyArray<Message>) => {
    for (const message of messages) {
      if (isAsked(message)) answer(message)
      else hear(message)
    }
  })

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
        post({ id, name: String(name), args })
      }),
    tell: (name, ...args) => post({ name: String(name), args }),
  }
}
