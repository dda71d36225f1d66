import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { atRate } from './pace.ts'

export type Loop = {
  readonly connections: ReadonlyArray<Connection>
  readonly seconds: number
  /** The next request, different each time. `since` is when it is sent, or should have been. */
  readonly next: (since: number) => Buffer
  readonly heard: (status: number, since: number) => void
}

/** Each connection sends its next request after the response to the previous one. */
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
 * Sends at a fixed rate, independent of the responses. A request without an idle connection waits, and its latency
 * counts from the time at which it was due. So a server that stops also gets the requests that were due during the
 * stop.
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
  /** The server closes a connection that was opened and not used for some time. */
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
