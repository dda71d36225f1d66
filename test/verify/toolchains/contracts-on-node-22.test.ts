// Does what a bot author does, on the oldest Node that the contracts' package names.
import { dirname, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { npmPackage } from './fetched.ts'
import { emptyProject } from './package/empty-project.ts'

const name = `node-${process.platform}-${process.arch}`
const node = await npmPackage(name, '22.0.0')
if (E.isLeft(node)) console.log(`skipped: the contracts on Node 22: ${node.left.message}`)

const oldest = suite('the package of the contracts on Node 22.0.0')
const test = E.isRight(node) ? oldest : oldest.skip

test('a bot is loaded and tested with it', () => {
  const project = emptyProject('livechat-bridge-contracts')
  project.write(
    'bot.js',
    `import { startBot, text } from 'livechat-bridge-contracts/bot'
import { clientWrites, given } from 'livechat-bridge-contracts/bot/harness'
await given({ onMessage: () => text('Hi') }).when(clientWrites('Hello')).says(text('Hi'))
console.log(process.version, typeof startBot)
`,
  )
  const place = join(dirname(E.isRight(node) ? node.right : ''), 'node_modules', name, 'bin/node')
  assert.is(project.run(place, 'bot.js'), 'v22.0.0 function\n')
})

oldest.run()
