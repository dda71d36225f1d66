import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { world } from '../../support/world.ts'

const here = await world({ partitions: 2 })

/**
 * Starts a bridge and polls its readiness until each consumer reads. Returns the statuses without repetitions, and the
 * checks of each answer.
 */
const answersOf = async () => {
  const answers: number[] = []
  const checks: Array<ReadonlyArray<string>> = []
  const asked = Promise.withResolvers<void>()
  const ask = async (url: string) => {
    let reads = 0
    await eventually('all consumers to read', async () => {
      const response = await fetch(`${url}/readyz`)
      if (answers.at(-1) !== response.status) answers.push(response.status)
      const body = await response.text()
      // the check `retention` always passes, so it may be added later
      const names = Object.keys(JSON.parse(body).checks).filter((name) => name !== 'retention')
      checks.push(names.sort())
      const read = body.match(/"reads \d+ partitions"/g) ?? []
      reads = read.length === 3 ? reads + 1 : 0
      return reads > 10
    })
    asked.resolve()
  }
  const bridge = await here.start(undefined, ({ adminUrl }) => void ask(adminUrl).catch(asked.reject))
  await asked.promise
  await bridge.stop()
  return { answers, checks }
}

const readiness = suite('readiness')

readiness.after(() => here.stop())

readiness('a starting process is not ready until everything runs, and then stays ready', async () => {
  const [first, again] = [await answersOf(), await answersOf()]

  for (const { answers, checks } of [first, again]) {
    assert.is(answers.at(-1), 200)
    assert.ok(answers.length <= 2, `${answers}`)
    // the process could be ready before a check that is added later
    assert.equal(checks[0], checks.at(-1))
  }
})

readiness.run()
