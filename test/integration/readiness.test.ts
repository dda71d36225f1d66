import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { world } from '../support/world.ts'

const here = await world({ partitions: 2 })

/** Starts a bridge and asks for its readiness until each consumer reads; the answers without repetitions. */
const answersOf = async () => {
  const answers: number[] = []
  const asked = Promise.withResolvers<void>()
  const ask = async (url: string) => {
    let reads = 0
    await eventually('all consumers to read', async () => {
      const response = await fetch(`${url}/readyz`)
      if (answers.at(-1) !== response.status) answers.push(response.status)
      const read = (await response.text()).match(/"reads \d+ partitions"/g) ?? []
      reads = read.length === 3 ? reads + 1 : 0
      return reads > 10
    })
    asked.resolve()
  }
  const bridge = await here.start(undefined, ({ adminUrl }) => void ask(adminUrl).catch(asked.reject))
  await asked.promise
  await bridge.stop()
  return answers
}

const readiness = suite('readiness')

readiness.after(() => here.stop())

readiness('a process that starts is not ready until everything runs, and ready from then on', async () => {
  const [first, again] = [await answersOf(), await answersOf()]

  assert.equal([first.at(-1), again.at(-1)], [200, 200])
  assert.ok(first.length <= 2 && again.length <= 2, `${first}; ${again}`)
})

readiness.run()
