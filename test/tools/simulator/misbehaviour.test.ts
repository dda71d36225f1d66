import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceAccountOf } from '../../../src/tools/simulator/account.ts'
import { type Behaviour, inTurn } from '../../../src/tools/simulator/behaviour.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { always, atMost, atRandom } from '../../support/behaviours.ts'
import { botMessage, plain, webhooksPath } from './accounts.ts'
import { createCleanUp } from './clean-up.ts'

const { started, stopAll } = createCleanUp()

/** A service whose time passes only when `wake` is called. */
const given = async () => {
  const sleeping: Array<{ ms: number; wake: () => void }> = []
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      sleeping.push({ ms, wake: resolve })
      signal.addEventListener('abort', () => resolve())
    })
  const service = started(await startService({ accounts: [serviceAccountOf(plain)], now: () => 0, sleep }))
  const post = (id: string, chatId = '2037') =>
    fetch(`${service.baseUrl}${webhooksPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...botMessage, id, chat_id: chatId }),
    })
  const shown = (chatId = '2037') => service.chat(chatId)?.delivered.map(({ id }) => id) ?? []
  return { service, post, shown, sleeping }
}

const misbehaviour = suite('misbehaviour')

misbehaviour('a service accepts a number of requests per second, and handles the rest as configured', () => {
  let ms = 0
  const script = atMost(8, { kind: 'error', status: 503 }, () => ms)
  const taken = (n: number) =>
    Array.from({ length: n }, (_, i) => script({ chatId: '1', id: String(i), attempt: 1 })).filter((it) => !it).length
  assert.is(taken(5), 2)
  ms = 125
  assert.is(taken(5), 1)
  ms = 10_000
  assert.is(taken(5), 2)
})

misbehaviour(
  'requests that arrived while the process of the service was paused count as if they had arrived one by one',
  () => {
    let [ms, stoodStill] = [0, 0]
    const script = atMost(
      8,
      { kind: 'error', status: 503 },
      () => ms,
      () => stoodStill,
    )
    const taken = (n: number) =>
      Array.from({ length: n }, (_, i) => script({ chatId: '1', id: String(i), attempt: 1 })).filter((it) => !it).length
    taken(5)
    ;[ms, stoodStill] = [1_000, 1_000]
    assert.is(taken(10), 8)
    ;[ms, stoodStill] = [5_000, 0]
    assert.is(taken(10), 2)
  },
)

misbehaviour('behaviours are used in turn, then all answers are regular', async () => {
  const { service, post, shown } = await given()
  service.misbehave(
    inTurn(
      { kind: 'error', status: 503 },
      { kind: 'error', status: 500, applied: true },
      { kind: 'too-many-requests', retryAfterSeconds: 7 },
      { kind: 'error-in-200' },
    ),
  )
  const answers = []
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    const response = await post(id)
    const { result, error } = (await response.json()) as { result?: string; error?: { code: string } }
    answers.push([response.status, response.headers.get('retry-after'), error?.code ?? result])
  }
  assert.equal(answers, [
    [503, null, 'invalid_request'],
    [500, null, 'invalid_request'],
    [429, '7', 'invalid_request'],
    [200, null, 'invalid_request'],
    [200, null, 'ok'],
  ])
  assert.equal(shown(), ['b', 'e'])
})

misbehaviour('a dropped connection may have been applied or not', async () => {
  const { service, post, shown } = await given()
  service.misbehave(inTurn({ kind: 'drop' }, { kind: 'drop', applied: true }))
  const failed = async (id: string) =>
    post(id).then(
      () => false,
      () => true,
    )
  assert.equal([await failed('a'), await failed('b')], [true, true])
  assert.equal(shown(), ['b'])
})

misbehaviour('a delayed request is applied after its delay', async () => {
  const { service, post, shown, sleeping } = await given()
  service.misbehave(inTurn({ kind: 'delay', ms: 5000 }))
  const response = post('a')
  const asleep = await service.waitFor('the request', () => service.requests()[0]?.behaviour)
  assert.equal([asleep, shown()], [{ kind: 'delay', ms: 5000 }, []])
  sleeping[0]?.wake()
  assert.is((await response).status, 200)
  assert.equal(shown(), ['a'])
})

misbehaviour('a late answer is sent after the client has seen the message', async () => {
  const { service, post, shown, sleeping } = await given()
  service.misbehave(inTurn({ kind: 'late', ms: 5000 }))
  const response = post('a')
  await service.waitFor('the message', () => shown().length === 1)
  sleeping[0]?.wake()
  assert.is((await response).status, 200)
})

misbehaviour('a slow body starts at once and ends late', async () => {
  const { service, post, sleeping } = await given()
  service.misbehave(inTurn({ kind: 'slow-body', ms: 5000 }))
  const response = await post('a')
  sleeping[0]?.wake()
  assert.equal([response.status, await response.json()], [200, { result: 'ok' }])
})

misbehaviour('a script for one chat does not affect the others', async () => {
  const { service, post, shown } = await given()
  service.misbehave(always({ kind: 'error', status: 502 }), '1')
  assert.equal([(await post('a', '1')).status, (await post('b', '2')).status], [502, 200])
  service.behave()
  assert.is((await post('a', '1')).status, 200)
  assert.equal([shown('1'), shown('2')], [['a'], ['b']])
})

misbehaviour('a repeated message is shown twice, and every request is stored', async () => {
  const { service, post, shown } = await given()
  await post('a')
  await post('a')
  assert.equal(shown(), ['a', 'a'])
  assert.equal(
    service.requests().map(({ method, path, body, applied }) => [method, path, JSON.parse(body), applied]),
    [1, 2].map(() => ['POST', webhooksPath, { ...botMessage, id: 'a' }, true]),
  )
})

misbehaviour('random behaviours have their shares, the same for the same seed in any order', () => {
  const late: Behaviour = { kind: 'late', ms: 4000 }
  const broken: Behaviour = { kind: 'error', status: 500 }
  const shares = [
    { share: 0.05, behaviour: late },
    { share: 0.1, behaviour: broken },
  ]
  const requests = Array.from({ length: 20_000 }, (_, i) => ({ chatId: '1', id: `m${i}`, attempt: 1 }))
  const results = requests.map(atRandom(7, shares))
  const part = (behaviour: Behaviour) => results.filter((one) => one === behaviour).length / results.length
  assert.equal([part(late).toFixed(2), part(broken).toFixed(2)], ['0.05', '0.10'])
  assert.equal(requests.toReversed().map(atRandom(7, shares)).toReversed(), results)
  assert.not.equal(requests.map(atRandom(8, shares)), results)
  assert.not.equal(
    requests.map((one) => atRandom(7, shares)({ ...one, attempt: 2 })),
    results,
  )
})

misbehaviour.after.each(stopAll)
misbehaviour.run()
