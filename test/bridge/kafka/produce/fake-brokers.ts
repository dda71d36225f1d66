import type { PartitionBatch, ProduceConnection } from '../../../../src/bridge/kafka/produce/connection.ts'

/** The fate of a batch. `taken and lost`: appended, not acknowledged. Other texts: the type of the broker's error. */
export type Fate = 'taken' | 'taken and lost' | 'lost' | (string & {})

const named = (type: string) => Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type })
const lost = () => Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' })

/**
 * Brokers that keep records as real ones do: a repeated batch with the same sequence number is acknowledged but not
 * appended. `fateOf` decides the fate of each batch; `hold` can make a request wait.
 */
export const fakeBrokers = (
  fateOf: (batch: PartitionBatch, values: ReadonlyArray<string>) => Fate,
  leaderOf: ProduceConnection['leaderOf'] = () => 1,
  hold: (leader: number) => Promise<void> = async () => {},
) => {
  const log = new Map<string, string[]>()
  const sent: Array<ReadonlyArray<string>> = []
  const producers = new Map<string, { readonly first: number; readonly next: number }>()
  const open = new Set<number>()
  const underWay = new Map<string, number>()
  let connections = 0
  let ids = 0

  const append = (batch: PartitionBatch, values: ReadonlyArray<string>): unknown => {
    const place = `${batch.topic}/${batch.partition}`
    const { producerId, sequence } = batch.identity
    const name = `${producerId} ${place}`
    const last = producers.get(name)
    const next = sequence + values.length
    if (last !== undefined && last.first === sequence && last.next === next) return undefined
    if (last !== undefined && last.next !== sequence) return named('OUT_OF_ORDER_SEQUENCE_NUMBER')
    producers.set(name, { first: sequence, next })
    log.set(place, [...(log.get(place) ?? []), ...values])
    return undefined
  }
  const connect = (): ProduceConnection => {
    const number = ++connections
    open.add(number)
    return {
      prepare: async () => {},
      has: () => true,
      leaderOf,
      newProducerId: async () => ++ids,
      produce: async (leader, batches) => {
        sent.push(batches.map(({ topic, partition, records }) => `${topic}/${partition}: ${records.length}`))
        for (const { topic, partition } of batches) {
          const place = `${topic}/${partition}`
          underWay.set(place, (underWay.get(place) ?? 0) + 1)
          if (underWay.get(place) !== 1) throw new Error('two requests for one partition at once')
        }
        await hold(leader)
        let isLost = false
        const errors = batches.map((batch) => {
          const values = batch.records.map(({ value }) => String(value))
          underWay.set(`${batch.topic}/${batch.partition}`, 0)
          const fate = fateOf(batch, values)
          if (fate === 'lost' || fate === 'taken and lost') isLost = true
          if (fate === 'lost') return lost()
          return fate.startsWith('taken') ? append(batch, values) : named(fate)
        })
        if (isLost) throw lost()
        return errors
      },
      close: async () => void open.delete(number),
    }
  }
  return { connect, log, sent, open, connections: () => connections }
}
