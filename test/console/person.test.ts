import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ErasureDocument } from '../../contracts/views/erasure.ts'
import { nameOfErased } from '../../src/bridge/domain/person/erased.ts'
import type { Identity } from '../../src/bridge/domain/person/ids.ts'
import type { Erasures } from '../../src/bridge/mongo/erasures.ts'
import { type Asked, detailOf, optionsOf } from '../../src/bridge/operations/audit.ts'
import { dayMs } from '../../src/bridge/shared/time.ts'
import { PersonAnswer, person as part } from '../../src/console/pages/privacy/person.ts'
import { givenErasures, receipt } from '../bridge/privacy/erase/given-erasures.ts'
import { right } from '../support/either.ts'
import { auditTopic, given, isUnrecorded } from './given-request.ts'

const find = 'POST /api/accounts/:account/person'
const everything = 'POST /api/accounts/:account/person/export'
const erase = 'POST /api/accounts/:account/person/erase'

/** MongoDB and Kafka in memory: chat 2037 and client 1233 are one person, chat 2038 has the same address. */
const servers = (more: Partial<Erasures> = {}) => {
  const audit = auditTopic()
  const links: Identity[][] = [
    [
      { kind: 'chat', value: '2037' },
      { kind: 'client', value: '1233' },
      { kind: 'email', value: 'ann@example.com' },
    ],
    [
      { kind: 'chat', value: '2038' },
      { kind: 'email', value: 'ann@example.com' },
    ],
  ]
  const written: string[] = []
  const { erasures, receipts } = givenErasures(links, {
    ...more,
    findDocuments: async function* () {
      yield { view: 'chats', document: { _id: 'acme/2037', name: 'Ann', applied: { 'chats/0': 1 } } }
    },
  })
  const kafka = {
    append: async () => E.right(undefined),
    readTopic: async () => E.right(undefined),
    ranges: async () => new Map([[0, { low: 0, high: 1 }]]),
    committedOffsets: async () => new Map([[0, 1]]),
    publish: async ({ type }: { readonly type: string }) => E.right(void written.push(type)),
  }
  const { recordActionOf } = audit
  const routes = part.handlers({
    accounts: [{ id: 'acme' }],
    kafka,
    erasures,
    recordActionOf,
    retentionDays: 14,
  } as unknown as Parameters<typeof part.handlers>[0])
  const ask = async (route: typeof find | typeof everything | typeof erase, body: object) => {
    const answered = await routes[route](given({ body: { kind: 'client', value: '1233', ...body } }))
    if (E.isLeft(answered) || 'stream' in answered.right) return { answered, body: undefined }
    return { answered, body: answered.right.body as Record<string, unknown>, headers: answered.right.headers }
  }
  return { ask, audit: audit.state, links, written, receipts }
}
const refused = (answered: E.Either<{ readonly status: number; readonly message: string }, unknown>) =>
  E.isLeft(answered) ? ([answered.left.status, answered.left.message] as const) : ([200, ''] as const)

const person = suite('a person in the console')

person('is found by certain links; likely links and stored documents are listed; the search is recorded', async () => {
  const { ask, audit } = servers()
  const { body } = await ask(find, {})
  assert.equal(right(PersonAnswer.decode(body)), body)
  assert.equal(body, {
    chats: ['2037'],
    clients: ['1233'],
    parts: [
      { chats: ['2037'], clients: ['1233'], emails: ['ann@example.com'], via: [], ids: ['client:1233'], isSure: true },
      {
        chats: ['2038'],
        clients: [],
        emails: ['ann@example.com'],
        via: [{ kind: 'email', value: 'ann@example.com' }],
        ids: ['chat:2038'],
        isSure: false,
      },
    ],
    stored: [{ what: 'chats', count: 1 }],
    confirm: body?.confirm,
    erased: [],
  })
  assert.equal(audit.actions, [
    {
      who: 'kim@example.com',
      action: 'unmask',
      command: 'find person',
      options: optionsOf({ client: '1233', 'found-client': '1233', 'found-chats': '1' }),
      accountId: 'acme',
    },
  ])
})

person('who was erased before has the time and the receipt, of the same account only, the newest first', async () => {
  const all = [
    receipt('e1', 1, { keys: ['client acme/1233'] }),
    receipt('e2', 2, { keys: ['chat acme/2037'] }),
    receipt('e3', 2, { keys: ['chat acme/2037'], accountId: 'other' as ErasureDocument['accountId'] }),
    receipt('e4', 2, { keys: ['chat acme/9'] }),
  ]
  const { ask } = servers({
    hmac: async () => String,
    erasedAt: async (keys) =>
      new Map(
        all.flatMap((each) =>
          keys
            .filter((key) => each.keys.includes(nameOfErased(key)))
            .map((key) => [nameOfErased(key), each.requestedAt]),
        ),
      ),
    find: async ({ requestedAt }) => all.filter((each) => each.requestedAt.getTime() === requestedAt?.getTime()),
  })
  assert.equal((await ask(find, {})).body?.erased, [
    { at: '2026-01-02T00:00:00.000Z', receipt: 'e2' },
    { at: '2026-01-01T00:00:00.000Z', receipt: 'e1' },
  ])
})

person('who was erased before at the same computer has the time in its line, unless something came later', async () => {
  const erasedOn = new Date(Date.UTC(2026, 0, 2))
  const erased = ['client acme/1300', 'client acme/1400']
  const { erasures } = givenErasures(
    ['1233', '1300', '1400', '1500'].map((client) => [
      { kind: 'client', value: client },
      { kind: 'visitor', value: '7' },
    ]),
    {
      hmac: async () => String,
      erasedAt: async (keys) =>
        new Map(keys.map(nameOfErased).flatMap((key) => (erased.includes(key) ? [[key, erasedOn]] : []))),
      find: async () => [receipt('e1', 2, { keys: erased })],
      findDocuments: async function* (_, { clients }) {
        for (const id of clients)
          yield {
            view: 'clients',
            document: { _id: `acme/${id}`, visitor: { number: '7', ...(id !== '1300' && { name: 'Ann' }) } },
          }
      },
    },
  )
  const { recordActionOf } = auditTopic()
  const routes = part.handlers({
    accounts: [{ id: 'acme' }],
    erasures,
    recordActionOf,
    retentionDays: 14,
  } as unknown as Parameters<typeof part.handlers>[0])
  const asked = async (value: string) => {
    const { body } = right(await routes[find](given({ body: { kind: 'client', value } }))) as { body: PersonAnswer }
    return [body.parts.map(({ clients: [id], erasedAt }) => [id, erasedAt]), body.erased.map((each) => each.receipt)]
  }
  const at = erasedOn.toISOString()
  assert.equal(await asked('1233'), [
    [
      ['1233', undefined],
      ['1300', at],
      ['1400', undefined],
      ['1500', undefined],
    ],
    [],
  ])
  assert.equal((await asked('1300'))[1], ['e1'])
})

person('an address of a person is not recorded on audit', async () => {
  const { ask, audit } = servers()
  await ask(find, { kind: 'email', value: 'ann@example.com', also: ['email'] })
  assert.match(
    detailOf(audit.actions.at(-1) as Asked),
    /^find person, email, also email, found-client 1233, found-chats \d$/,
  )
  assert.not.match(JSON.stringify(audit.actions), /ann/)
})

for (const typed of ['ann@example.com', '+44 20 7946 0958', '442079460958'])
  person(`an address that is typed as an id is not recorded on audit: ${typed}`, async () => {
    const { ask, audit } = servers()
    await ask(find, { kind: 'client', value: typed, also: [`visitor:${typed}`] })
    await ask(everything, { kind: 'visitor', value: typed })
    assert.equal(
      audit.actions.map((action) => detailOf(action as Asked)),
      [
        'find person, client (value withheld), also visitor:(value withheld), found-client (value withheld), found-chats 0',
        'export, visitor (value withheld)',
      ],
    )
  })

person('includes one likely person if that one is chosen, and the audit log names the chosen id', async () => {
  const { ask, audit } = servers()
  const { body } = await ask(find, { also: ['chat:2038'] })
  assert.equal([body?.chats, (body?.parts as unknown[]).length], [['2037', '2038'], 2])
  assert.equal(audit.actions, [
    {
      who: 'kim@example.com',
      action: 'unmask',
      command: 'find person',
      options: optionsOf({ client: '1233', also: 'chat:2038', 'found-client': '1233', 'found-chats': '2' }),
      accountId: 'acme',
    },
  ])
})

person('leaves out whom the user excepts: in the plan, in its confirmation, and in the audit log', async () => {
  const { ask, audit, links, written } = servers()
  links.push([
    { kind: 'client', value: '1233' },
    { kind: 'visitor', value: '7' },
  ])
  links.push([
    { kind: 'client', value: '1300' },
    { kind: 'chat', value: '2050' },
    { kind: 'visitor', value: '7' },
  ])
  const { body: all } = await ask(find, {})
  assert.equal(
    [all?.chats, all?.clients],
    [
      ['2037', '2050'],
      ['1233', '1300'],
    ],
  )
  const except = ['client:1300']
  const { body } = await ask(find, { except })
  assert.equal([body?.chats, body?.clients], [['2037'], ['1233']])
  assert.is(refused((await ask(erase, { confirm: all?.confirm, except })).answered)[0], 409)
  assert.is(refused((await ask(erase, { confirm: body?.confirm })).answered)[0], 409)
  assert.equal(written, [])
  await ask(erase, { confirm: body?.confirm, except })
  assert.equal(written.filter((type) => type === 'ClientErased').length, 1)
  assert.is(detailOf(audit.actions.at(-1) as Asked), 'erase, client 1233, except client:1300')
  for (const both of [{ except: ['client:1233'] }, { except, also: except }])
    assert.match(refused((await ask(find, both)).answered)[1], /^except: Somebody is named both/)
})

person('is not found, exported or erased if a chat is also of somebody who is left out', async () => {
  const { ask, written } = servers()
  const { body } = await ask(find, {})
  for (const route of [find, everything, erase] as const) {
    const { answered } = await ask(route, { confirm: body?.confirm, except: ['chat:2037'] })
    const [status, message] = refused(answered)
    assert.is(status, 400)
    assert.match(message, /^except: Of a client who is included, .*: chat:2037\./)
  }
  assert.equal(written, [])
})

person('is exported as a file, without the notes of the bridge, and that is recorded', async () => {
  const { ask, audit } = servers()
  const { body, headers } = await ask(everything, {})
  assert.equal(headers, { 'Content-Disposition': 'attachment; filename="person.json"' })
  assert.equal(body?.documents, { chats: [{ _id: 'acme/2037', name: 'Ann' }] })
  assert.equal(audit.actions, [
    {
      who: 'kim@example.com',
      action: 'export',
      command: 'export',
      options: optionsOf({ client: '1233' }),
      accountId: 'acme',
    },
  ])
})

person('is erased after the shown plan is confirmed, and the answer is the receipt', async () => {
  const { ask, audit, written } = servers()
  const { body: found } = await ask(find, {})
  const { body } = await ask(erase, { confirm: found?.confirm })
  const receipt = body?.receipt as Record<string, unknown>
  assert.equal([body?.confirmedBy, receipt.plan, receipt.keys], [[], undefined, undefined])
  assert.equal(written, ['ChatErased', 'ChatErased', 'ChatErased', 'ChatErased', 'ClientErased'])
  assert.equal([receipt?.state, receipt?.requestedBy], ['published', 'kim@example.com'])
  assert.equal(audit.actions.slice(1), [
    {
      who: 'kim@example.com',
      action: 'erase',
      command: 'erase',
      options: optionsOf({ client: '1233' }),
      accountId: 'acme',
    },
  ])
})

person('is erased with the number of a ticket, which is on the receipt and the audit log', async () => {
  const { ask, audit } = servers()
  const { body: found } = await ask(find, {})
  for (const ticket of ['', 'Ann Smith', 'ann@example.com', 'AnnSmith', `${'1'.repeat(65)}`])
    assert.match(
      refused((await ask(erase, { confirm: found?.confirm, ticket })).answered)[1],
      /^ticket: expected 1 to 64 of/,
    )
  const { body } = await ask(erase, { confirm: found?.confirm, ticket: 'GDPR-117/2' })
  const receipt = body?.receipt as Record<string, unknown>
  assert.is(receipt?.ticket, 'GDPR-117/2')
  assert.equal(audit.actions.slice(1), [
    {
      who: 'kim@example.com',
      action: 'erase',
      command: 'erase',
      options: optionsOf({ client: '1233', ticket: 'GDPR-117/2' }),
      accountId: 'acme',
    },
  ])
})

person('is erased with the days for which backups are kept, which are on the receipt', async () => {
  const { ask } = servers()
  const { body: found } = await ask(find, {})
  for (const backupDays of [0, 1.5, 100_000, '30'])
    assert.is(
      refused((await ask(erase, { confirm: found?.confirm, backupDays })).answered)[1],
      'backupDays: expected a whole number of days from 1 to 99999',
    )
  const { body } = await ask(erase, { confirm: found?.confirm, backupDays: 30 })
  const { requestedAt, remains } = body?.receipt as { requestedAt: string; remains: ErasureDocument['remains'] }
  const day = new Date(Date.parse(requestedAt) + 30 * dayMs).toISOString().slice(0, 10)
  assert.equal(
    remains.find(({ store }) => store === 'backups'),
    { store: 'backups', who: 'owner', until: day },
  )
})

person('is not erased if the plan has changed since the preview, or if there was no preview', async () => {
  const { ask, written, links } = servers()
  const { body } = await ask(find, {})
  links.push([
    { kind: 'client', value: '1233' },
    { kind: 'chat', value: '2040' },
  ])
  const changed = await ask(erase, { confirm: body?.confirm })
  const unseen = await ask(erase, {})
  const others = await ask(erase, { confirm: body?.confirm, also: ['email'] })
  assert.equal(
    [changed, unseen, others].map(({ answered }) => refused(answered)[0]),
    [409, 400, 409],
  )
  assert.match(refused(changed.answered)[1], /^confirm: expected the value from a new search/)
  assert.equal(written, [])
})

person('an interrupted erasure is finished by the same request, even if the plan has changed', async () => {
  const { ask, written, receipts } = servers()
  const { body } = await ask(find, {})
  await ask(erase, { confirm: body?.confirm })
  const [receipt] = receipts.values()
  const plan = { chats: ['2037'], clients: ['1233'], enrichments: [] }
  receipts.set(receipt?._id ?? '', { ...receipt, state: 'started', plan } as unknown as ErasureDocument)
  const { body: finished } = await ask(erase, { confirm: 'that of an earlier plan' })
  assert.equal([(finished?.receipt as Record<string, unknown>).state, written.length], ['published', 10])
})

person('is neither shown, exported nor erased if that cannot be recorded', async () => {
  const { ask, audit, written, receipts } = servers()
  const { body } = await ask(find, {})
  audit.isAway = true
  for (const route of [find, everything, erase] as const)
    assert.ok(isUnrecorded((await ask(route, { confirm: body?.confirm })).answered), route)
  assert.equal([written, receipts.size], [[], 0])
})

person('a wrong body is refused by the name of its field', async () => {
  const { ask, audit } = servers()
  const said = async (body: object) => refused((await ask(find, body)).answered)
  assert.match((await said({ kind: 'name' }))[1], /^kind: expected /)
  assert.equal(await said({ value: '' }), [400, 'value: expected text of 1 to 255 characters'])
  assert.match((await said({ also: ['chat'] }))[1], /^also: expected at most 100 of email, phone, userToken, and ids/)
  assert.equal(audit.actions, [])
})

person.run()
