import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { singleFlight } from '../../../src/bridge/shared/single-flight.ts'

/** Requests that the test answers by hand, each with its number. */
const requests = () => {
  const begun: Array<{ readonly key: string; readonly answer: () => void; readonly fail: () => void }> = []
  const request = (key: string) =>
    new Promise<number>((resolve, reject) => {
      const number = begun.length
      begun.push({ key, answer: () => resolve(number), fail: () => reject(new Error(`request ${number}`)) })
    })
  return { begun, ask: singleFlight(request) }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

const coalescing = suite('single-flight requests')

coalescing('calls during a running request share the next one, which starts after these calls', async () => {
  const { begun, ask } = requests()
  const first = ask('a')
  const later = [ask('a'), ask('a')]
  assert.is(begun.length, 1)

  begun[0]?.answer()
  await turn()
  begun[1]?.answer()

  assert.equal(await Promise.all([first, ...later]), [0, 1, 1])
  assert.is(begun.length, 2)
})

coalescing('a failed request fails only for the callers that share it', async () => {
  const { begun, ask } = requests()
  const first = ask('a').catch(String)
  const second = ask('a').catch(String)

  begun[0]?.fail()
  await turn()
  const third = ask('a')
  begun[1]?.fail()
  await turn()
  begun[2]?.answer()

  assert.equal(await Promise.all([first, second, third]), ['Error: request 0', 'Error: request 1', 2])
})

coalescing('different keys do not wait for each other', async () => {
  const { begun, ask } = requests()
  const both = [ask('a'), ask('b')]

  for (const { answer } of begun) answer()

  assert.equal(await Promise.all(both), [0, 1])
  assert.equal(
    begun.map(({ key }) => key),
    ['a', 'b'],
  )
})

coalescing('after all requests are answered, a new call starts a request at once', async () => {
  const { begun, ask } = requests()
  const first = ask('a')
  begun[0]?.answer()
  await first
  await turn()

  const second = ask('a')

  assert.is(begun.length, 2)
  begun[1]?.answer()
  assert.is(await second, 1)
})

coalescing.run()
