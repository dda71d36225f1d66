import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulation } from './support/simulation.ts'
import { botMessage } from './support/values.ts'

const misplaced = suite('commands in another partition than their conversation')

misplaced('a command that is moved to the right partition is not sent from here, and is finished here', async () => {
  const w = simulation({ ports: { reroute: async ({ offset }) => offset === 0 } })
  await w.start()
  w.command(botMessage('elsewhere'))
  w.command(botMessage('here'))
  await w.time.until(w.isDone)
  assert.equal(w.applied, ['here'])
})

misplaced('while it is unknown whether it was moved, it is not finished here', async () => {
  const w = simulation({ ports: { reroute: async () => undefined } })
  await w.start()
  w.command(botMessage('elsewhere'))
  await w.time.pass(60_000)
  assert.equal([w.applied, w.log.committed['bot-replies']], [[], 0])
})

misplaced('a record that is not a command is refused here, and not moved', async () => {
  const asked: number[] = []
  const w = simulation({ ports: { reroute: async ({ offset }) => asked.push(offset) > 0 } })
  await w.start()
  w.log.append('bot-replies', 'acme/1', botMessage('wrong key'))
  await w.time.until(w.isDone)
  assert.equal([asked, w.deadLetters.map(({ cause }) => cause)], [[], ['wrong-key']])
})

misplaced.run()
