import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ok } from '../../src/http/answer.ts'
import { eventually } from '../support/eventually.ts'
import { consoleServer } from './server.ts'

const load = suite('many requests')

load('of one person six are answered at a time, and others do not wait for them', async () => {
  const gate = Promise.withResolvers<void>()
  const asked: string[] = []
  const server = await consoleServer({
    handlers: {
      'GET /api/accounts/:account/now': async ({ session: { who } }) => {
        asked.push(who)
        await gate.promise
        return ok({})
      },
    },
  })
  const ann = await server.signIn()
  const kim = await server.signIn()
  const [id = '', session] = [...server.sessions].at(-1) ?? []
  if (session !== undefined) server.sessions.set(id, { ...session, who: 'kim@desk' })
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

load.run()
