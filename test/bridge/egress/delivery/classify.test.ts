import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { classify, type Verdict, wordsOf } from '../../../../src/bridge/egress/delivery/classify.ts'
import type { HttpResult } from '../../../../src/bridge/egress/delivery/post.ts'
import { answer, networkFailure } from '../support/values.ts'

const test = suite('the meaning of an answer of the service')

const noon = Date.parse('2026-01-31T12:00:00.000Z')
const error = (code: string) => JSON.stringify({ error: { code, message: 'why' } })
const outage: Verdict = { kind: 'retry', why: 'outage' }

type Case = [string, HttpResult, Verdict]
const cases: ReadonlyArray<Case> = [
  ['200 is delivered', answer(200, '{"result":"ok"}'), { kind: 'delivered' }],
  ['204 with no body is delivered', answer(204, ''), { kind: 'delivered' }],
  ['200 with a body that is not JSON is delivered', answer(200, '<html>'), { kind: 'delivered' }],
  ['200 with a JSON array is delivered', answer(200, '[1]'), { kind: 'delivered' }],
  ...['null', 'false', '""'].map(
    (none): Case => [
      `200 with the error ${none} is delivered`,
      answer(200, `{"error":${none}}`),
      { kind: 'delivered' },
    ],
  ),
  ['200 with an empty code is retried', answer(200, error('')), { kind: 'retry', why: 'error' }],
  [
    'a code has 64 characters at most',
    answer(200, error('c'.repeat(65))),
    { kind: 'retry', why: 'error', code: 'c'.repeat(64) },
  ],
  ['199 is rejected', answer(199), { kind: 'rejected' }],
  ['300 is rejected', answer(300), { kind: 'rejected' }],
  [
    '200 with a final error code is rejected',
    answer(200, error('invalid_request')),
    { kind: 'rejected', code: 'invalid_request' },
  ],
  [
    '200 with a refused client is rejected',
    answer(200, error('invalid_client')),
    { kind: 'rejected', code: 'invalid_client' },
  ],
  ['200 with another error is retried', answer(200, error('busy')), { kind: 'retry', why: 'error', code: 'busy' }],
  ['200 with an error as text is retried', answer(200, '{"error":"no"}'), { kind: 'retry', why: 'error', code: 'no' }],
  ['200 with an error without a code is retried', answer(200, '{"error":{}}'), { kind: 'retry', why: 'error' }],
  ['302 is rejected', answer(302), { kind: 'rejected' }],
  ['400 is rejected', answer(400, error('invalid_request')), { kind: 'rejected', code: 'invalid_request' }],
  [
    '401 is about the account',
    answer(401, error('unauthorized_client')),
    { ...outage, code: 'unauthorized_client', isOfAccount: true },
  ],
  ['403 is about the account', answer(403), { ...outage, isOfAccount: true }],
  ['404 is about the account', answer(404), { ...outage, isOfAccount: true }],
  ['425 is retried', answer(425), outage],
  [
    '200 with errors is retried',
    answer(200, '{"errors":[{"code":"busy"}]}'),
    { kind: 'retry', why: 'error', code: 'busy' },
  ],
  ['200 with an empty list of errors is delivered', answer(200, '{"errors":[]}'), { kind: 'delivered' }],
  ...['{"result":"error"}', '{"status":"error"}', '{"ok":false}', '{"success":false}'].map(
    (body): Case => [`200 with ${body} is retried`, answer(200, body), { kind: 'retry', why: 'error' }],
  ),
  ['405 is rejected', answer(405), { kind: 'rejected' }],
  ['408 is retried', answer(408), outage],
  ['429 pauses the account', answer(429), { kind: 'retry', why: 'throttled' }],
  ['429 with seconds', answer(429, '', '7'), { kind: 'retry', why: 'throttled', retryAfterMs: 7000 }],
  [
    '429 with a date',
    answer(429, '', 'Sat, 31 Jan 2026 12:00:09 GMT'),
    { kind: 'retry', why: 'throttled', retryAfterMs: 9000 },
  ],
  [
    '429 with a date in the past',
    answer(429, '', 'Sat, 31 Jan 2026 11:00:00 GMT'),
    { kind: 'retry', why: 'throttled', retryAfterMs: 0 },
  ],
  ...['999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'].map(
    (header): Case => [
      `a Retry-After is five minutes at most: ${header.slice(0, 40)}`,
      answer(429, '', header),
      { kind: 'retry', why: 'throttled', retryAfterMs: 300_000 },
    ],
  ),
  [
    'a Retry-After that is neither seconds nor a date is ignored',
    answer(429, '', '-3'),
    { kind: 'retry', why: 'throttled' },
  ],
  ['500 is retried', answer(500), outage],
  ['502 is retried', answer(502), outage],
  ['503 with seconds', answer(503, '', '2'), { ...outage, retryAfterMs: 2000 }],
  ['504 is retried', answer(504), outage],
  ['a timeout is retried', networkFailure('timeout'), { ...outage, code: 'timeout' }],
  ['a refused connection is retried', networkFailure('ECONNREFUSED'), { ...outage, code: 'ECONNREFUSED' }],
]
for (const [name, result, expected] of cases) test(name, () => assert.equal(classify(result, false, noon), expected))

test('with an access token, 401 requests a new one', () => {
  assert.equal(classify(answer(401), true, noon), { kind: 'unauthorized' })
  const unauthorized = classify(answer(200, error('unauthorized_client')), true, noon)
  assert.equal(unauthorized, { kind: 'unauthorized', code: 'unauthorized_client' })
})

test('with an access token, another answer requests no new one', () => {
  assert.equal(classify(answer(500), true, noon), outage)
})

test('the words of an answer have no secret, in no form, and 500 characters at most', () => {
  const secrets = ['', 'a/b', 'say "hi"', 'plain']
  const forms = secrets.slice(1).flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret)])
  assert.is(
    wordsOf(`of ${forms.join(' ')}`, secrets),
    'of [secret] [secret] "[secret]" [secret] [secret] "[secret]" [secret] [secret] "[secret]"',
  )
  assert.is(wordsOf('w'.repeat(501), secrets), 'w'.repeat(500))
})

test('with an access token, a refused path token needs no new access token', () => {
  const verdict = { ...outage, code: 'invalid_client', isOfAccount: true }
  assert.equal(classify(answer(401, error('invalid_client')), true, noon), verdict)
})

test.run()
