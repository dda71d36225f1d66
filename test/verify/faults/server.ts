import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as E from 'fp-ts/lib/Either.js'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'

type Running = { readonly address: string; readonly stop: () => Promise<void> }

/** A real server that can be killed, frozen, and restarted on its data. Each start calls `started` with the port. */
export const faultyServer = async (
  directory: string,
  start: () => Promise<E.Either<unknown, Running>>,
  started: (port: number) => unknown,
) => {
  let running = right(await start())
  const portOf = ({ address }: Running) => Number(address.split(':')[1])
  const group = (): number => JSON.parse(readFileSync(join(directory, 'lease.json'), 'utf8')).server.pid
  const signal = (name: NodeJS.Signals) => process.kill(-group(), name)
  started(portOf(running))
  const restart = async () => {
    running = right(await start())
    started(portOf(running))
  }
  const isRunning = () => {
    try {
      process.kill(-group(), 0)
      return true
    } catch {
      return false
    }
  }
  return {
    address: () => running.address,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill: () => signal('SIGKILL'),
    restart,
    /** Waits until the server has ended by itself; false if it has not. */
    ended: (withinMs: number) =>
      eventually('the end of the server', () => !isRunning(), withinMs).then(
        () => true,
        () => false,
      ),
    /** Makes the server run again after any fault. */
    heal: async () => {
      try {
        signal('SIGCONT')
      } catch {
        await restart()
      }
    },
    stop: () => running.stop(),
  }
}
