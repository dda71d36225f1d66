import * as E from 'fp-ts/lib/Either.js'
import type { Failure, Publish } from '../../domain/ports.ts'
import { toRecord } from '../../kafka/cloud-event.ts'
import { packing } from './parcel.ts'

type Asker = { readonly resolve: (outcome: E.Either<Failure, void>) => void; readonly reject: (error: Error) => void }

const durable: E.Either<Failure, void> = E.right(undefined)
const highest = 2 ** 31 - 1

/**
 * The port of a thread that serves HTTP: an event becomes its record at once, and all records of a turn go to the main thread in
 * one parcel, which `whenFirst` is to fetch at the turn's end.
 */
export const publishing = (whenFirst: (parcel: () => Uint8Array) => void) => {
  const askers = new Map<number, Asker>()
  const { add, take } = packing()
  let isEmpty = true
  let last = 0

  const asker = (number: number) => {
    const found = askers.get(number)
    askers.delete(number)
    return found
  }
  const parcel = () => {
    isEmpty = true
    return take()
  }
  const publish: Publish = (event, withinMs) =>
    new Promise((resolve, reject) => {
      const { type, source } = event
      last = last === highest ? 1 : last + 1
      add({ number: last, withinMs, record: toRecord(event), type, source })
      askers.set(last, { resolve, reject })
      if (isEmpty) whenFirst(parcel)
      isEmpty = false
    })
  return {
    publish,
    settled: (numbers: ReadonlyArray<number>): void => {
      for (const number of numbers) asker(number)?.resolve(durable)
    },
    failed: (number: number, failure: Failure | undefined): void => {
      if (failure === undefined) asker(number)?.reject(new Error('the main thread has failed'))
      else asker(number)?.resolve(E.left(failure))
    },
  }
}
