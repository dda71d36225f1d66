import { existsSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readAccounts } from '../../src/app/accounts-file.ts'
import { banner, sample } from '../../src/app/start.ts'
import { right } from '../support/either.ts'

const token = 'webhooks-token-0001'
const accounts = right(readAccounts(E.right(JSON.stringify({ accounts: [{ id: 'demo', webhooks: { token } }] }))))
const shown = (inClone: boolean, signInLink?: string, of = accounts) =>
  stripVTControlCharacters(
    banner({
      url: 'http://127.0.0.1:8080',
      adminUrl: 'http://127.0.0.1:8081',
      brokers: ['127.0.0.1:9092'],
      topicPrefix: 'livechat.',
      took: 2400,
      mongoUrl: 'mongodb://127.0.0.1:27017/livechat',
      accounts: of,
      inClone,
      signInLink,
    }),
  )

const what = suite('banner')

what('in a clone, its first command posts a sample that exists', () => {
  assert.ok(existsSync(new URL(`../../${sample}`, import.meta.url)))
  assert.match(shown(true), `curl -H 'Content-Type: application/json' -d @${sample} http://127.0.0.1:8080/webhooks/`)
})

what('outside a clone it names no file of a clone, and only commands that exist', () => {
  assert.not.match(shown(false), 'contracts/')
  assert.not.match(shown(false), 'npm run')
  assert.match(shown(false), 'npx livechat-bridge demo')
})

what('a sign-in link is among the addresses if the console runs', () => {
  const link = 'http://127.0.0.1:8081/console/sign-in?token=secret'
  assert.match(shown(true, link), `console     ${link}`)
  assert.not.match(shown(true), 'console')
})

what('of many accounts it shows ten, so that the addresses are still on the screen', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ id: `a${i}`, webhooks: { token: `${token}-${i}` } }))
  const lines = shown(false, undefined, right(readAccounts(E.right(JSON.stringify({ accounts: many }))))).split('\n')
  assert.equal(lines.filter((line) => line.includes('webhooks/')).length, 10)
  assert.ok(lines.some((line) => line.trim() === 'and 9990 more accounts of BRIDGE_CONFIG'))
})

what.run()
