import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inWordsOf, play, scenarios } from './scenarios/play.ts'

const kit = suite('scenarios of the bot kits')

for (const scenario of scenarios)
  kit(scenario.name, async () => {
    const { expected, found } = inWordsOf(scenario, await play(scenario))
    assert.equal(found, expected)
  })

kit.run()
