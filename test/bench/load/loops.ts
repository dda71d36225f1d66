import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { atRate } from './pace.ts'

export type Loop = {
  readonly connections: ReadonlyArray<Connection>
  readonly seconds: number
  /** The next request; each is another one. `since` is when it is sent, or should have been. */
  readonly next: (since: number) => Buffer
  readonly heard: (status: number, since: number) => void
}

/** Each connection sends its next request when it has heard the answer to the one before. */
export const closedLoop = async ({ connections, seconds, next, heard }: Loop): Promise<void> => {
  const until = performance.now() + seconds * 1000
  const drive = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const send = () => {
        const since = performance.now()
        if (since >= until || !connection.isOpen()) return resolve()
        connection.send(next(since), (status) => {
          heard(status, since)
          send()
        })
      }
      send()
    })
  await Promise.all(connections.map(drive))
}

/**
 * Sends at a fixed rate whatever the answers do. A request that finds no idle connection waits, and its latency counts from
 * when it was to be sent: a server that stands still is not spared the requests that would have come meanwhile.
 */
export const openLoop = async (loop: Loop, rate: number): Promise<void> => {
  const { connections, seconds, next, heard } = loop
  const idle = [...connections]
  const waiting: number[] = []
  let underWay = 0
  const give = (connection: Connection) => {
    const since = waiting.shift()
    if (since === undefined) return void idle.push(connection)
    underWay++
    connection.send(next(since), (status) => {
      underWay--
      heard(status, since)
      if (connection.isOpen()) give(connection)
    })
  }
  /** One that was opened and never used is closed by the server after a while. */
  const unused = () => {
    let connection = idle.pop()
    while (connection?.isOpen() === false) connection = idle.pop()
    return connection
  }
  await atRate(rate, Math.round(seconds * rate), (_, at) => {
    waiting.push(at)
    const connection = unused()
    if (connection !== undefined) give(connection)
  })
  while (waiting.length + underWay > 0 && connections.some((connection) => connection.isOpen())) await wait(1)
}
