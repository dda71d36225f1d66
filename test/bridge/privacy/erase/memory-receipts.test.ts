import { suite } from 'uvu'
import { givenErasures } from './given-erasures.ts'
import { receiptsScenarios } from './receipts.scenarios.ts'

const test = suite('receipts of erasures in memory')
receiptsScenarios(test, async () => givenErasures([]).erasures)
test.run()
