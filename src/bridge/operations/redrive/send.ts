import * as E from 'fp-ts/lib/Either.js'
import { deadLetters } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { nameOfErased } from '../../domain/person/erased.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { unreadableBatch } from '../../kafka/unreadable.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { type BatchPorts, type NotSent, type RecordEvent, type Sending, sendInBatches, type Why } from './batches.ts'
import {
  erasedKeyIn,
  type Filters,
  isErasedAt,
  matches,
  memoryIdOf,
  originOf,
  readDeadLetter,
  type StoredDeadLetter,
} from './dead-letters.ts'
import { decideRedrive, erasedSince, isOutdated, type Known, type Rules, stateTopics } from './guard.ts'

/** What `redrive send` says of a dead letter. */
export type LetterEvent = RecordEvent<{
  readonly letter: Pick<StoredDeadLetter, 'id' | 'consumer' | 'cause'> & { readonly origin: string }
}>

type Ports = BatchPorts<Pick<LetterEvent, 'letter'>> & Pick<KafkaPorts, 'redrive'> & { readonly redrives: Redrives }

type Matching = { readonly record: IncomingRecord; readonly deadLetter: StoredDeadLetter }

/** A dead letter that will be sent back. `redriven` includes this time. */
type Chosen = Matching & { readonly redriven: number }

const withinMs = 20_000

/** True if the person of a dead letter was erased after it. Throws while MongoDB does not respond. */
export const isErasedSince = async ({ erasedAt }: Pick<Redrives, 'erasedAt'>, record: IncomingRecord) => {
  const deadLetter = readDeadLetter(record)
  if (E.isLeft(deadLetter)) return false
  const key = erasedKeyIn(deadLetter.right)
  return isErasedAt(deadLetter.right, (await erasedAt([key])).get(nameOfErased(key)))
}

const keyErased = ({ deadLetter }: Matching) => erasedKeyIn(deadLetter)

/** What MongoDB knows about these dead letters. */
const readKnown = async ({ find, states, erasedAt }: Ports['redrives'], matching: ReadonlyArray<Matching>) => {
  const keys = stateTopics.map((topic) =>
    matching.flatMap(({ record: { key }, deadLetter }) => (deadLetter.origin.topic === topic ? [String(key)] : [])),
  )
  const [before, erased, ...found] = await Promise.all([
    find(matching.map(({ deadLetter }) => memoryIdOf(deadLetter))),
    erasedAt(matching.map(keyErased)),
    ...stateTopics.map((topic, i) => states(topic, keys[i] ?? [])),
  ])
  return ({ record, deadLetter }: Matching): Known => {
    const state = stateTopics.flatMap((topic, i) =>
      topic === deadLetter.origin.topic ? [found[i]?.get(String(record.key))] : [],
    )
    return {
      timesSent: before.get(memoryIdOf(deadLetter))?.length ?? 0,
      outdated: isOutdated(deadLetter, record, state[0]),
      erased: isErasedAt(deadLetter, erased.get(nameOfErased(erasedKeyIn(deadLetter)))),
    }
  }
}

/** Sends dead letters back to their topics. Those of a key keep their order. */
export const sendDeadLetters = (
  { redrive, ...ports }: Ports,
  { rules, ...sending }: Sending<Filters> & { readonly rules: Rules },
  interrupted: AbortSignal,
) => {
  const matchesRequest = matches(sending.filters)
  /** A failure that was kept twice is sent once. Bounded by the limit. */
  const chosenBefore = new Set<string>()
  const choose = (each: Matching, known: Known): E.Either<NotSent, Chosen> => {
    if (each.deadLetter.cause === unreadableBatch) return E.left({ result: 'failed', why: { kind: 'batch' } })
    const id = memoryIdOf(each.deadLetter)
    if (chosenBefore.has(id)) return E.left({ result: 'before' })
    const decision = decideRedrive(each.deadLetter, known, rules)
    if (E.isLeft(decision)) return decision
    chosenBefore.add(id)
    return E.right({ ...each, redriven: decision.right })
  }
  return sendInBatches<Matching, Chosen, Pick<LetterEvent, 'letter'>>(
    ports,
    {
      topic: deadLetters.name,
      read: async (records) => {
        const matching = records.flatMap((record) => {
          const deadLetter = readDeadLetter(record)
          return E.isRight(deadLetter) && matchesRequest(deadLetter.right)
            ? [{ record, deadLetter: deadLetter.right }]
            : []
        })
        const knownOf = await readKnown(ports.redrives, matching)
        return { matching, decide: (each) => choose(each, knownOf(each)) }
      },
      stopped: async (batch) => {
        const erased = await ports.redrives.erasedAt(batch.map(keyErased))
        return (each): Why | undefined =>
          isErasedAt(each.deadLetter, erased.get(nameOfErased(keyErased(each)))) ? erasedSince : undefined
      },
      send: ({ record, deadLetter: { origin, firstFailedAt }, redriven }) =>
        redrive(record, { topic: origin.topic, redriven, firstFailedAt }, withinMs),
      memoryIdOf: ({ deadLetter }) => memoryIdOf(deadLetter),
      about: ({ deadLetter }) => {
        const { id, consumer, cause } = deadLetter
        return { letter: { id, origin: originOf(deadLetter), consumer, cause } }
      },
    },
    sending,
    interrupted,
  )
}
