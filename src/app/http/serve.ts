import { once } from 'node:events'
import { createServer } from 'node:net'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure, OutgoingRecord } from '../../domain/ports.ts'
import { type Ingress, listenFailure } from '../../ingress/server.ts'
import { joined } from './calls.ts'
import { gathering } from './gathering.ts'
import { type Sent, unpack } from './parcel.ts'
import type { HttpSide, HttpThread, MainPort, MainSide } from './sides.ts'

type Measured = Parameters<MainSide['request']>
type Part = OutgoingRecord['value'] | Uint8Array

/** A buffer comes out of another thread as plain bytes. */
const asBuffer = <A extends Part>(part: A) =>
  part instanceof Uint8Array ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : part
const withBuffers = ({ topic, key, value, headers }: OutgoingRecord): OutgoingRecord => ({
  topic,
  key: asBuffer(key),
  value: asBuffer(value),
  headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, asBuffer(header)])),
})

const startThread = (main: MainSide, workerData: HttpThread) => {
  const worker = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), { workerData })
  // It ends the process, as it would if it were thrown here: what runs it starts it again.
  worker.on('error', (error) => {
    throw error
  })
  const publish = async ({ number, record, type, source, withinMs }: Sent) => {
    try {
      const published = await main.publish(record, { type, source }, withinMs)
      if (E.isRight(published)) settled(number)
      else tell('failed', number, published.left)
    } catch {
      tell('failed', number, undefined)
    }
  }
  const port: MainPort = {
    ...main,
    publish: (parcel) => {
      for (const sent of unpack(parcel)) publish(sent)
    },
    requests: (measured) => {
      for (let i = 0; i < measured.length; i += 3) main.request(...(measured.slice(i, i + 3) as Measured))
    },
    append: (record: OutgoingRecord, withinMs: number) => main.append(withBuffers(record), withinMs),
  }
  const { call, tell, tellAtEnd } = joined<HttpSide>(worker, port)
  const settled = gathering<number>((gathered) => tellAtEnd('settled', () => [gathered()]))
  return {
    listen: (host: string, port: number, shared: boolean) => call('listen', host, port, shared),
    cease: () => call('cease'),
    stop: async () => {
      await call('stop')
      await worker.terminate()
    },
  }
}

/** Several threads can listen on one port only in a way that lets other processes in as well: that nobody has it is seen first. */
const freePort = async (host: string, port: number): Promise<E.Either<Failure, number>> => {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    return E.left(listenFailure(host, port, error as NodeJS.ErrnoException))
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return E.right(typeof address === 'object' && address !== null ? address.port : port)
}

/** The HTTP side on threads of its own, so that no work of the main thread keeps a request waiting, and the other way round. */
export const serveHttp = (main: MainSide, thread: HttpThread, threads: number): Ingress => {
  const all = Array.from({ length: threads }, () => startThread(main, thread))
  const cease = async () => {
    await Promise.all(all.map((each) => each.cease()))
  }
  return {
    listen: async (host, port) => {
      const [first, ...others] = all
      if (first === undefined) throw new Error('no thread to serve HTTP')
      if (others.length === 0) return first.listen(host, port, false)
      const free = await freePort(host, port)
      if (E.isLeft(free)) return free
      const listening = await Promise.all(all.map((each) => each.listen(host, free.right, true)))
      return listening.find(E.isLeft) ?? E.right({ port: free.right })
    },
    cease,
    stop: async () => {
      await cease()
      await Promise.all(all.map((each) => each.stop()))
    },
  }
}
