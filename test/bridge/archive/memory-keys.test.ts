import { suite } from 'uvu'
import { archiveKeysScenarios } from './archive-keys.scenarios.ts'
import { memoryKeys } from './memory-keys.ts'

const test = suite('archive keys in memory')
archiveKeysScenarios(test, async () => memoryKeys())
test.run()
