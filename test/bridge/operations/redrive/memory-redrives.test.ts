import { suite } from 'uvu'
import { memoryRedrives } from './given-letters.ts'
import { redrivesScenarios } from './redrives.scenarios.ts'

const test = suite('redrives in memory')
redrivesScenarios(test, async () => memoryRedrives().redrives)
test.run()
