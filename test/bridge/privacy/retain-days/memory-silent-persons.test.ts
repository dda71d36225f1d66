import { suite } from 'uvu'
import { memorySilentPersons } from './memory-silent-persons.ts'
import { silentPersonsScenarios } from './silent-persons.scenarios.ts'

const test = suite('silent persons in memory')
silentPersonsScenarios(test, async (log) => memorySilentPersons(log).silentPersons)
test.run()
