import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { internalFiles } from '../../../src/bridge/kafka/kafkajs-internals.ts'

const src = fileURLToPath(new URL('../../../src/bridge', import.meta.url))
const theOne = 'kafka/kafkajs-internals.ts'
const code = new Map(globSync('**/*.ts', { cwd: src }).map((file) => [file, readFileSync(`${src}/${file}`, 'utf8')]))

const internals = suite('what is used of the inside of kafkajs')

internals('one file reaches into the package', () => {
  const reaching = [...code].filter(([, text]) => /['"`]kafkajs\/|getOwnPropertySymbols\(kafka/.test(text))

  assert.equal(
    reaching.map(([file]) => file),
    [theOne],
  )
})

internals('that file uses what its list names, and the list names what the package has', () => {
  const text = code.get(theOne) ?? ''
  const used = [...text.matchAll(/internalFiles\.(\w+)/g)].map(([, name]) => name)
  const { resolve } = createRequire(import.meta.url)

  assert.equal([...new Set(used)].sort(), Object.keys(internalFiles).sort())
  for (const path of Object.values(internalFiles)) assert.type(resolve(path), 'string')
})

internals('each patch is tested by its own test, and loaded by the client', () => {
  const patches = [...code.keys()].filter((file) => file.startsWith('kafka/kafkajs-patches/'))
  const client = code.get('kafka/client.ts') ?? ''

  for (const patch of patches) {
    assert.ok(client.includes(patch.slice('kafka/'.length)), patch)
    for (const what of ['Upstream:', 'Problem:', 'Patch:', 'Test:', 'Remove when:'])
      assert.ok(code.get(patch)?.includes(what), `${patch}: ${what}`)
  }
})

internals.run()
