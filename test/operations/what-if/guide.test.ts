import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addOperations } from '../../../src/app/command-line.ts'
import { whatIf } from '../../../src/operations/what-if/operation.ts'

const guide = suite('the guide of what-if')
const text = readFileSync(new URL('../../../contracts/guides/what-if.md', import.meta.url), 'utf8')

guide('each of its commands has options that exist, with values that are accepted', async () => {
  const commands = [...text.matchAll(/^ *npx livechat-bridge (what-if .*)$/gm)].map(([, words = '']) =>
    words.split(' '),
  )
  assert.is(commands.length, 4)
  for (const words of commands) {
    let asked: object | undefined
    const program = addOperations(new Command(), [whatIf], async (_, values) => {
      asked = values
    })
    await program.parseAsync(words, { from: 'user' })
    assert.equal(
      Object.entries({ ...asked }).find(([name]) => name === 'account'),
      ['account', 'acme'],
    )
  }
})

guide('it names every option that changes what is compared', () => {
  for (const name of ['baseline', 'accept ', 'repeat', 'words exact', 'with-words', 'network', 'fail-on', 'group'])
    assert.ok(text.includes(`--${name}`), name)
})

guide.run()
