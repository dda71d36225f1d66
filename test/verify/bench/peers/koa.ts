import '../../../../src/bridge/kafka/kafkajs-patches/request-queue.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import kafkajs from 'kafkajs'
import Koa from 'koa'
import rawBody from 'raw-body'
import { wireFormNamed } from '../../../support/wire-form.ts'
import { serve } from '../worker.ts'

export type KoaAsk = {
  /** Without it nothing is published: the upper limit of one process with Koa and io-ts. */
  readonly publishTo?: { readonly brokers: ReadonlyArray<string>; readonly topic: string }
}
export type KoaGiven = { readonly port: number }

const publisher = async ({ brokers, topic }: NonNullable<KoaAsk['publishTo']>) => {
  const producer = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.ERROR }).producer()
  await producer.connect()
  return (key: string, value: string) => producer.send({ topic, acks: -1, messages: [{ key, value }] })
}

serve<KoaAsk>(async ({ publishTo }): Promise<KoaGiven> => {
  const publish = publishTo && (await publisher(publishTo))
  const router = new Router().post('/hook', async (ctx) => {
    const event = wireFormNamed('chat_accepted').decode(JSON.parse((await rawBody(ctx.req)).toString()))
    if (E.isLeft(event)) return ctx.throw(400)
    await publish?.(String(event.right.chat_id), JSON.stringify(event.right))
    ctx.body = { result: 'ok' }
  })
  const server = new Koa().use(router.routes()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
})
