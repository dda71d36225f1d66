import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ok } from '../../src/bridge/http/answer.ts'
import { eventually } from '../support/eventually.ts'
import { consoleServer } from './server.ts'

/** Yields nothing, and never ends by itself. */
async function* endless(): AsyncGenerator<string> {
  await new Promise(() => {})
}

const signInAs = async (who: string, { signIn, sessions }: Awaited<ReturnType<typeof consoleServer>>) => {
  const caller = await signIn()
  const [id = '', session] = [...sessions].at(-1) ?? []
  if (session !== undefined) sessions.set(id, { ...session, who })
  return caller
}

const load = suite('many requests')

load('six requests of one person are answered at the same time, and others do not wait for them', async () => {
  const gate = Promise.withResolvers<void>()
  const asked: string[] = []
  const server = await consoleServer({
    handlers: {
      'GET /api/accounts/:account/now': async ({ session: { who } }) => {
        asked.push(who)
        await gate.promise
        return ok({}) as never
      },
    },
  })
  const ann = await server.signIn()
  const kim = await signInAs('kim@desk', server)
  const now = ({ headers }: typeof ann) => server.ask('/console/api/accounts/acme/now', { headers })
  const ofAnn = Array.from({ length: 20 }, () => now(ann))
  await eventually('the first of ann', () => asked.length >= 6)
  const ofKim = now(kim)
  await eventually('that of kim', () => asked.includes('kim@desk'))
  assert.equal(asked, [...Array.from({ length: 6 }, () => 'ann@desk'), 'kim@desk'])
  gate.resolve()
  const statuses = (await Promise.all([...ofAnn, ofKim])).map(({ status }) => status)
  assert.equal(
    statuses,
    Array.from({ length: 21 }, () => 200),
  )
  await server.stop()
})

load('one person may have forty streams at the same time, independent of others', async () => {
  const live = 'GET /api/accounts/:account/conversations/:chat/live'
  const server = await consoleServer({
    handlers: { [live]: async () => E.right({ status: 200, stream: endless(), type: 'text/event-stream' }) },
  })
  const ann = await server.signIn()
  const kim = await signInAs('kim@desk', server)
  const statuses: number[] = []
  const open = async ({ headers }: typeof ann) => {
    const { status } = await server.ask('/console/api/accounts/acme/conversations/1/live', { headers })
    statuses.push(status)
  }
  const ofAnn = Array.from({ length: 42 }, () => open(ann))
  await eventually('two that are refused', () => statuses.length >= 2)
  const ofKim = open(kim)
  await server.ask('/console/api/session', { headers: kim.headers })
  assert.equal(statuses, [503, 503])
  server.stopping.abort()
  await Promise.all([...ofAnn, ofKim])
  assert.equal(
    statuses.slice(2),
    Array.from({ length: 41 }, () => 200),
  )
  await server.stop()
})

load.run()
