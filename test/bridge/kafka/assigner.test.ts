import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coPartitioned } from '../../../src/bridge/kafka/consumer/kafkajs-consumer.ts'

const assigner = suite('co-partitioned assignment')

assigner('members get partitions in turn, the same ones of every topic', () => {
  const topics = new Map([
    ['chats', [0, 1, 2, 3, 4]],
    ['bot-replies', [0, 1, 2]],
  ])

  const shares = coPartitioned(['b', 'a'], topics)

  assert.equal(
    [...shares],
    [
      ['a', { chats: [0, 2, 4], 'bot-replies': [0, 2] }],
      ['b', { chats: [1, 3], 'bot-replies': [1] }],
    ],
  )
})

assigner('every partition has exactly one member, for any order of members, and shares differ by at most one', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
      (members, counts) => {
        const topics = new Map(counts.map((count, i) => [`t${i}`, Array.from({ length: count }, (_, p) => p)]))

        const shares = coPartitioned(members, topics)

        assert.equal(coPartitioned([...members].reverse(), topics), shares)
        for (const [topic, partitions] of topics) {
          const given = [...shares.values()].map((share) => share[topic] ?? [])
          const lengths = given.map(({ length }) => length)
          assert.equal(
            given.flat().sort((a, b) => a - b),
            partitions,
          )
          assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1)
        }
        const owners = (topic: string) =>
          new Map([...shares].flatMap(([member, share]) => (share[topic] ?? []).map((p) => [p, member])))
        for (const [p, member] of owners('t0'))
          for (const topic of topics.keys()) assert.ok([member, undefined].includes(owners(topic).get(p)))
      },
    ),
  )
})

assigner.run()
