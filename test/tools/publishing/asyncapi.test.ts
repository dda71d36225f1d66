import { join } from 'node:path'
import { fromFile, Parser } from '@asyncapi/parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics } from '../../../contracts/topics.ts'
import { folder } from './current.ts'

/** AsyncAPI's generators and renderers read 3.0 today. 3.1 has nothing that the bridge needs. */
const explained = new Set<string | number>(['asyncapi-latest-version'])

const { document, diagnostics } = await fromFile(new Parser(), join(folder, 'asyncapi.yaml')).parse()

const asyncapi = suite('AsyncAPI')

asyncapi("passes the parser's rules without a warning", () => {
  assert.equal(
    diagnostics
      .filter(({ code }) => !explained.has(code))
      .map(({ code, message, path }) => ({ code, message, at: path.join('.') })),
    [],
  )
})

asyncapi('has every topic under its prefix, with a key for each of its messages', () => {
  const channels = document?.channels().all() ?? []
  assert.equal(
    channels.map((channel) => channel.address()),
    topics.map(({ name }) => `{prefix}${name}`),
  )
  for (const message of document?.messages().all() ?? [])
    assert.type(message.bindings().get('kafka')?.value().key.type, 'string', message.id())
})

asyncapi.run()
