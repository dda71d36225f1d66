import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { asDraft07, type PublishEvent, publishTo, registryOf } from '../../../src/tools/publishing/registry.ts'
import type { JsonObject } from '../../../src/tools/publishing/schema.ts'
import { runCommand } from '../../support/command.ts'
import { left, right } from '../../support/either.ts'
import { checkedIn } from './current.ts'

type Heard = {
  readonly call: string
  readonly body: { readonly schema?: string; readonly [field: string]: unknown }
  readonly authorization: string | undefined
}
type Answer = readonly [status: number, body: string]

const servers: Array<ReturnType<typeof createServer>> = []

/** A registry that answers with `answer`, by default with the number of the request as the id. */
const given = async (answer: (heard: Heard, nth: number) => Answer = (_, nth) => [200, `{"id":${nth}}`]) => {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const one = {
      call: `${request.method} ${request.url}`,
      body: JSON.parse(text),
      authorization: request.headers.authorization,
    }
    heard.push(one)
    const [status, body] = answer(one, heard.length)
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const schema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:livechat:schemas:A.v1',
  properties: { a: { allOf: [{ $ref: '#/$defs/B' }] } },
  $defs: { B: { type: 'string' } },
}

const registry = suite('schemas in a registry')
registry.after(() => {
  for (const server of servers) server.close()
})

registry(
  'a schema is registered as draft-07 under its type, and its compatibility is left to the contracts',
  async () => {
    const { heard, url } = await given()
    const said: PublishEvent[] = []
    const to = right(registryOf(`${url.replace('http://', 'http://me%40here:secret@')}/apis/ccompat/v7/`))
    assert.is(right(await publishTo(to, [['A.v1', schema]], (event) => void said.push(event))), 1)
    assert.equal(
      heard.map(({ call }) => call),
      ['PUT /apis/ccompat/v7/config/livechat.A.v1', 'POST /apis/ccompat/v7/subjects/livechat.A.v1/versions'],
    )
    assert.equal(
      heard.map(({ authorization }) => authorization),
      Array(2).fill(`Basic ${Buffer.from('me@here:secret').toString('base64')}`),
    )
    const [config, version] = heard.map(({ body }) => body)
    assert.equal(config, { compatibility: 'NONE' })
    assert.is(version?.schemaType, 'JSON')
    assert.equal(JSON.parse(version?.schema ?? ''), {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'urn:livechat:schemas:A.v1',
      properties: { a: { allOf: [{ $ref: '#/definitions/B' }] } },
      definitions: { B: { type: 'string' } },
    })
    assert.equal(said, [{ subject: 'livechat.A.v1', id: 2 }])
  },
)

const keywordsOf2020 = [
  '$defs',
  'prefixItems',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  '$anchor',
]

registry('no published schema has a keyword that draft-07 lacks, or refers to another file', () => {
  for (const [path, text] of Object.entries(checkedIn).filter(([name]) => name.startsWith('schemas/'))) {
    const written = JSON.stringify(asDraft07(JSON.parse(text)))
    for (const keyword of keywordsOf2020) assert.not.ok(written.includes(`"${keyword}":`), `${path}: ${keyword}`)
    for (const [, ref = ''] of written.matchAll(/"\$ref":"([^"]*)"/g)) assert.match(ref, /^#\/definitions\/\w+$/)
  }
})

/** What a registry may answer, and what is said of it. */
const refused: ReadonlyArray<readonly [string, Answer, RegExp]> = [
  ['a refusal', [422, '{"error_code":42201,"message":"Invalid schema"}'], /livechat\.A\.v1: HTTP 422: Invalid schema/],
  ['a wrong password', [401, ''], /HTTP 401$/],
  ['another server', [200, '<html>'], /is this a schema registry/],
  ['a redirection', [302, '{}'], /HTTP 302$/],
]
for (const [what, answer, said] of refused)
  registry(`${what} ends the command, and is not repeated`, async () => {
    const { heard, url } = await given(() => answer)
    assert.match(left(await publishTo(right(registryOf(url)), [['A.v1', schema]], () => {})), said)
    assert.is(heard.length, 1)
  })

registry('a registry that fails for a moment is asked again', async () => {
  const { url } = await given((_, nth) => (nth < 3 ? [503, ''] : [200, '{"id":7}']))
  assert.is(right(await publishTo(right(registryOf(url)), [['A.v1', schema]], () => {})), 1)
})

registry('a wrong URL is refused without being repeated, since it may have a password', () => {
  for (const url of ['', 'registry', 'ftp://a', 'http://a/?b', 'http://me:%zz-secret@a', 'http://'])
    assert.is(left(registryOf(url)), 'the http:// or https:// URL of a schema registry')
})

registry('the command registers the schema of every type of record, and says what is wrong', async () => {
  const { heard, url } = await given()
  const { code, out, err } = await runCommand(['contracts', 'publish', '--registry', url], {})
  assert.is(code, 0, err)
  const types = heard.flatMap(({ call }) => /POST \/subjects\/([^/]+)/.exec(call)?.[1] ?? [])
  const topics: Readonly<Record<string, { readonly schemas: ReadonlyArray<string> }>> = JSON.parse(
    checkedIn['topics.json'] ?? '{}',
  )
  const wanted = [...new Set(Object.values(topics).flatMap(({ schemas }) => schemas))].map((name) => `livechat.${name}`)
  assert.equal(types.sort(), wanted.sort())
  assert.match(out, `${types.length} schemas are in the registry.`)

  const [away] = servers.splice(-1)
  away?.closeAllConnections()
  await new Promise((closed) => away?.close(closed))
  const nobody = url.replace('http://', 'http://me:password@')
  const failed = await runCommand(['contracts', 'publish', '--registry', nobody], {})
  assert.is(failed.code, 1)
  assert.match(failed.err, `${url} does not answer: ECONNREFUSED`)
  assert.not.match(failed.err, 'password')
})

registry.run()
