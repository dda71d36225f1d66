import { suite } from 'uvu'
import { consoleSessionsScenarios } from './console-sessions.scenarios.ts'
import { memorySessions } from './server.ts'

const test = suite('sessions of the console in memory')
consoleSessionsScenarios(test, async () => memorySessions().store)
test.run()
