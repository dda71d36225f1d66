import { MongoClient } from 'mongodb'
import { botReplies, enrichments } from '../../../contracts/topics.ts'
import { eventually } from '../../support/eventually.ts'
import type { ObservedWorld } from './observed-world.ts'
import type { Poison } from './poisons.ts'

const each = 10
const numbers = (phase: number) => Array.from({ length: each }, (_, i) => `${phase}-${i}`)
const chatOf = (name: string) => `77${name.replace('-', '')}`

/** Good commands and enrichments, beside the events. */
export const goods = (phase: number): ReadonlyArray<Poison> =>
  numbers(phase).flatMap((name) => [
    {
      topic: botReplies.name,
      key: `acme/${chatOf(name)}`,
      headers: {},
      value: Buffer.from(
        JSON.stringify({
          type: 'BotMessage',
          id: `good-${name}`,
          accountId: 'acme',
          chatId: chatOf(name),
          clientId: '1',
          message: { type: 'TEXT', text: 'Hello' },
        }),
      ),
    },
    {
      topic: enrichments.name,
      key: `acme/userToken:good-${name}`,
      headers: {},
      value: Buffer.from(JSON.stringify({ crmLink: `https://crm.example.com/${name}` })),
    },
  ])

/** The goods that the service or the look-up has not received after some time. */
export const missingGoods = async (
  { mongo }: ObservedWorld,
  service: ObservedWorld['service'],
  phases: number,
): Promise<ReadonlyArray<string>> => {
  await using client = await MongoClient.connect(mongo.url)
  const stored = client.db().collection<{ _id: string }>('enrichments')
  const all = Array.from({ length: phases }, (_, phase) => numbers(phase)).flat()
  let missing: ReadonlyArray<string> = all
  await eventually(
    'every good record to be taken in',
    async () => {
      const applied = new Set<string>(
        service.requests().flatMap(({ event, applied: is }) => (is && event ? [event.id] : [])),
      )
      const there = new Set((await stored.find({ value: { $exists: true } }).toArray()).map(({ _id }) => _id))
      missing = all.filter((name) => !applied.has(`good-${name}`) || !there.has(`acme/userToken:good-${name}`))
      return missing.length === 0 || undefined
    },
    20_000,
  ).catch(() => undefined)
  return missing
}
