import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deadLettersWorld, header, idOf, type Read } from '../../support/dead-letters-world.ts'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'

const { here, db, stranger, admin, on, letters, letter, produce, redrive, redriveAlone, erase, stop } =
  await deadLettersWorld()

const linesWith = (text: string, what: string) => text.split('\n').filter((line) => line.includes(what))
const bytes = {
  key: Buffer.from([0xff, 0x01]),
  value: Buffer.from([0xfe, 0x00, 0xff]),
  mine: Buffer.from([0xfd, 0x00]),
}
const dead = suite('dead letters and redrive')

dead.after(stop)

dead('a command that its consumer refuses is stored, and is sent after its cause is repaired', async () => {
  const command = {
    type: 'BotMessage',
    id: 'r-1',
    accountId: 'acme',
    chatId: '2037',
    clientId: '1233',
    message: { type: 'TEXT', text: 'Hello' },
  }
  await produce('bot-replies', { key: 'acme/2037', value: JSON.stringify(command) })
  const kept = await letter('unknown-account')
  await stranger.stop()
  await here.start()
  await here.service.clientWrites('2037', 'Hi', { clientId: '1233' })

  const sent = await redriveAlone('send', '--cause', 'unknown-account')

  assert.equal(sent, {
    code: 0,
    err: '',
    out: `sent           ${idOf(kept)}  bot-replies/${header(kept, 'dl_partition')}/0  egress  unknown-account\n1 sent\n`,
  })
  await here.service.waitFor('the reply', () => here.service.chat('2037')?.delivered.length || undefined)
  assert.equal(
    here.service.chat('2037')?.delivered.map(({ id }) => id),
    ['r-1'],
  )
})

dead('a poison record is stored byte for byte, with its place, reason and time', async () => {
  const before = Date.now()
  await produce('bot-conversations', {
    key: bytes.key,
    value: bytes.value,
    headers: { mine: bytes.mine, twice: ['a', 'b'], dl_redriven: 'many' },
  })
  await produce('bot-replies', { key: 'acme/1', value: 'poison \u001b[31m' })

  const [event, command] = [await letter('headers'), await letter('not-json')]

  const { dl_timestamp, dl_failed_at, dl_first_failed_at, dl_partition, ...headers } = event.headers ?? {}
  assert.equal([event.key, event.value], [bytes.key, bytes.value])
  assert.equal(headers, {
    mine: bytes.mine,
    twice: [Buffer.from('a'), Buffer.from('b')],
    dl_topic: Buffer.from('bot-conversations'),
    dl_offset: Buffer.from(on('bot-conversations').find(({ key }) => key?.equals(bytes.key))?.offset ?? ''),
    dl_consumer: Buffer.from('projector'),
    dl_cause: Buffer.from('headers'),
    dl_detail: Buffer.from(header(event, 'dl_detail') ?? ''),
  })
  assert.equal(dl_first_failed_at, dl_failed_at)
  assert.ok(Date.parse(String(dl_failed_at)) >= before)
  assert.ok(Date.parse(String(dl_timestamp)) >= before)
  assert.ok(Number(dl_partition) < 4)
  assert.equal([String(command.key), String(command.value)], ['acme/1', 'poison \u001b[31m'])
  assert.equal([header(command, 'dl_topic'), header(command, 'dl_consumer')], ['bot-replies', 'egress'])
})

dead('list prints the matching letters, and which of them were sent back', async () => {
  const [known, event, command] = [await letter('unknown-account'), await letter('headers'), await letter('not-json')]

  const [all, other, some, json] = await Promise.all([
    redriveAlone('list'),
    redrive('list', '--quarantine'),
    redrive('list', '--topic', 'bot-replies', '--cause', 'not-json', '--consumer', 'egress', '--since', '2026-01-01'),
    redrive('list', '--cause', 'not-json', '--json'),
  ])

  assert.is(all.code, 0, all.err)
  assert.match(all.out, /^ID +ORIGIN +CONSUMER +CAUSE +FAILED AT +BEFORE +REDRIVEN +DETAIL\n/)
  assert.match(linesWith(all.out, 'unknown-account')[0] ?? '', new RegExp(`^${idOf(known)} .* 0 +20\\d\\d-`))
  assert.match(linesWith(all.out, ' headers ')[0] ?? '', new RegExp(`^${idOf(event)} .* 0 +no `))
  assert.match(all.out, '\ndead letters: 3\n')
  assert.match(some.out, new RegExp(`\n${idOf(command)} .* not-json `))
  assert.match(some.out, '\ndead letters: 1\n')
  const { count, listed } = JSON.parse(json.out)
  assert.equal([count, listed.length, listed[0].id, listed[0].redriven], [1, 1, idOf(command), []])
  assert.equal(other, { code: 0, out: 'requests in quarantine: 0\n', err: '' })
})

dead('show prints a letter with its bytes, without terminal control characters', async () => {
  const [event, command] = [await letter('headers'), await letter('not-json')]

  const [binary, text, none, wrong] = await Promise.all([
    redrive('show', idOf(event)),
    redrive('show', idOf(command)),
    redrive('show', '0/999999'),
    redriveAlone('show', 'first'),
  ])

  assert.match(binary.out, 'header  mine: hex fd00\n')
  assert.match(binary.out, 'header  dl_topic: bot-conversations\n')
  assert.match(binary.out, 'key     hex ff01\nvalue   3 bytes\nhex fe00ff\n')
  assert.match(text.out, 'key     acme/1\nvalue   12 bytes\npoison \\u001b[31m\n')
  assert.equal(none, { code: 1, out: '', err: 'dead-letters has no record at 0/999999, or has deleted it.\n' })
  assert.match(wrong.err, 'Expected an ID as list prints it')
})

dead('a letter that fails again has its count and its first time, until the guard refuses it', async () => {
  const first = await letter('headers')
  for (const times of [1, 2, 3]) {
    const sent = await redrive('send', '--cause', 'headers')
    assert.is(sent.code, 0, sent.out + sent.err)
    assert.match(sent.out, `1 sent${times > 1 ? `, ${times - 1} sent before` : ''}\n`)

    const again = await letter('headers', times + 1)

    assert.equal([again.key, again.value], [bytes.key, bytes.value])
    assert.equal([again.headers?.mine, again.headers?.twice], [bytes.mine, [Buffer.from('a'), Buffer.from('b')]])
    assert.equal(header(again, 'dl_redriven'), String(times))
    assert.equal(header(again, 'dl_first_failed_at'), header(first, 'dl_failed_at'))
    assert.ok(String(header(again, 'dl_failed_at')) > String(header(first, 'dl_failed_at')))
  }
  const redriven = on('bot-conversations').filter(({ key }) => key?.equals(bytes.key))
  assert.equal(redriven[1]?.headers, {
    mine: bytes.mine,
    twice: [Buffer.from('a'), Buffer.from('b')],
    dl_first_failed_at: Buffer.from(header(first, 'dl_failed_at') ?? ''),
    dl_redriven: Buffer.from('1'),
  })

  const refused = await redrive('send', '--cause', 'headers')

  assert.is(refused.code, 1)
  assert.match(refused.out, /refused +\S+ .* redriven 3 times\n3 sent before, 1 refused\n/)
  assert.is(letters('headers').length, 4)
  const forced = await redrive('send', '--id', idOf(await letter('headers', 4)), '--force')
  assert.match(forced.out, '1 sent\n')
  assert.equal(header(await letter('headers', 5), 'dl_redriven'), '4')
})

dead('an event that could not be stored for a while is in its view after a redrive', async () => {
  const payload = JSON.parse(sample('webhooks', 'call_event'))
  const calls = db.collection('calls')
  await db.command({ collMod: 'calls', validator: { phone: { $ne: '+15550199' } } })
  await here.service.webhook('acme', { ...payload, call: { ...payload.call, phone: '+15550199' } })
  const kept = await letter('unstorable')
  assert.is(await calls.countDocuments({}), 0)
  await db.command({ collMod: 'calls', validator: {} })

  const sent = await redrive('send', '--topic', 'calls', '--until', '2999-01-01')

  assert.match(sent.out, new RegExp(`^sent +${idOf(kept)}  calls/.*\n1 sent\n$`))
  const stored = await eventually('the call', async () => (await calls.findOne({ phone: '+15550199' })) ?? undefined)
  assert.equal(stored.history.length, 1)
  assert.is(on('calls').length, 2)
  assert.equal(header(on('calls')[1] as Read, 'ce_id'), header(on('calls')[0] as Read, 'ce_id'))
  assert.is(letters('unstorable').length, 1)
})

dead('the letters of a key are sent back in their order, with the requested limit and rate', async () => {
  const key = 'acme/clientId:3'
  const values = Array.from({ length: 6 }, (_, n) => `{"poison":${n}}`)
  for (const value of values) await produce('enrichments', { key, value })
  await letter('contract', 6)
  const began = performance.now()

  const some = await redrive('send', '--topic', 'enrichments', '--limit', '4', '--per-second', '2')
  const took = performance.now() - began
  await letter('contract', 10)
  const first = letters('contract')
  const rest = await redrive(
    'send',
    '--topic',
    'enrichments',
    '--until',
    header(first[6] as Read, 'dl_failed_at') ?? '',
  )

  await letter('contract', 12)
  assert.ok(took > 1_000)
  assert.match(some.out, '4 sent\nThe limit of 4 is reached. There may be more.\n')
  assert.match(rest.out, '2 sent, 4 sent before\n')
  assert.equal(
    on('enrichments').map(({ value }) => String(value)),
    [...values, ...values],
  )
  assert.equal(
    linesWith(some.out + rest.out, 'sent  ').map((line) => line.split(/ +/)[1]),
    first.slice(0, 6).map(idOf),
  )
})

dead('a second redrive at the same time refuses, and no record is sent twice', async () => {
  const key = 'acme/clientId:4'
  const since = new Date().toISOString()
  const before = on('enrichments').length
  const values = Array.from({ length: 5 }, (_, n) => `{"poison":"again ${n}"}`)
  const ofEach = () => values.map((value) => on('enrichments').filter((each) => String(each.value) === value).length)
  const told = letters('contract').length
  for (const value of values) await produce('enrichments', { key, value })
  await letter('contract', told + values.length)
  const send = ['send', '--topic', 'enrichments', '--since', since, '--per-second', '1']

  const first = redrive(...send)
  await eventually('the first record', () => on('enrichments').length > before + values.length)
  const second = await redrive(...send)
  const third = await redrive('quarantine')

  for (const refused of [second, third])
    assert.equal(
      [refused.code, refused.out + refused.err],
      [1, 'Another redrive is running. Wait until it has ended; if its process has died, that takes a minute.\n'],
    )
  assert.match((await first).out, /\n5 sent\n$/)
  await letter('contract', told + 2 * values.length)
  assert.equal(ofEach(), [2, 2, 2, 2, 2])
})

dead('a quarantined request that is valid today becomes its event once, and replaces nothing newer', async () => {
  const inQuarantine = (id: string, receivedAt: string, payload: object) =>
    produce('quarantine', {
      key: 'acme',
      value: JSON.stringify(payload),
      headers: {
        id,
        interface: 'webhooks',
        received_at: receivedAt,
        reason: 'invalid',
        problems: 'visitor: expected',
      },
    })
  const payload = JSON.parse(sample('webhooks', 'call_event'))
  const [call, chatId] = [payload.call, '77001']
  const at = (second: number) => new Date(Date.now() - 60_000 + second * 1_000).toISOString()
  await inQuarantine('late-start', at(1), { ...payload, chat_id: chatId, call: { ...call, phone: '+15550200' } })
  await inQuarantine('late-end', at(2), { ...payload, chat_id: chatId, call: { ...call, phone: '+15550201' } })
  await inQuarantine('unknown', at(3), { event_name: 'new_event' })
  const calls = db.collection('calls')
  const taken = /^processed +\d+\/\d+ {2}acme {2}CallStatusChanged$/gm

  const dry = await redrive('quarantine', '--dry-run')
  const sent = await redrive('quarantine', '--account', 'acme')
  const again = await redrive('quarantine')

  assert.match(dry.out, /2 would be processed, 1 not processed\n$/)
  assert.is(sent.out.match(taken)?.length, 2)
  assert.match(sent.out, /2 processed, 1 not processed\n$/)
  assert.match(again.out, /2 processed before, 1 not processed\n$/)
  const late = await eventually('both events', () => {
    const events = on('calls').filter((each) => header(each, 'ce_receivedtime') !== undefined)
    return events.length === 2 ? events : undefined
  })
  assert.equal(late.map((each) => header(each, 'ce_id')).sort(), ['late-end', 'late-start'])
  for (const each of late) assert.is(header(each, 'ce_receivedtime'), header(each, 'ce_time'))
  const entries = () => db.collection('timeline').countDocuments({ chatId, type: 'CallStatusChanged' })
  await eventually('both entries', async () => ((await entries()) === 2 ? true : undefined))
  const stored = await eventually('the call', async () => (await calls.findOne({ chatId })) ?? undefined)
  assert.is(stored.phone, '+15550201')

  await here.service.webhook('acme', { ...payload, chat_id: chatId, call: { ...call, phone: '+15550202' } })
  await eventually('the newer event', async () => (await calls.findOne({ phone: '+15550202' })) ?? undefined)
  await inQuarantine('too-late', at(4), { ...payload, chat_id: chatId, call: { ...call, phone: '+15550203' } })
  assert.match((await redrive('quarantine')).out, /1 processed, 2 processed before, 1 not processed\n$/)
  await eventually('its entry', async () => ((await entries()) === 4 ? true : undefined))
  assert.is((await calls.findOne({ chatId }))?.phone, '+15550202')
})

dead('each action except a dry run is recorded on audit, with the operator', async () => {
  const actions = () => db.collection('audit').find({ action: 'redrive' }).sort({ at: 1 }).toArray()
  const found = await eventually('the actions', async () => {
    const all = await actions()
    return all.some(({ detail }) => detail === 'redrive quarantine, account acme') ? all : undefined
  })
  assert.ok(found.every(({ who, at }) => who.includes('@') && !Number.isNaN(new Date(at).getTime())))
  assert.ok(found.every(({ detail }) => !detail.includes('--dry-run')))
  assert.is(found.find(({ detail }) => detail === 'redrive quarantine, account acme')?.accountId, 'acme')
})

dead('each look at a record is recorded on audit, under its account', async () => {
  const looks = await eventually('the looks', async () => {
    const all = await db.collection('audit').find({ action: 'unmask' }).toArray()
    return all.length >= 2 ? all : undefined
  })
  assert.ok(looks.every(({ detail, accountId }) => /^redrive show, id \d+\/\d+$/.test(detail) && accountId !== '*'))
  assert.ok(looks.some(({ accountId }) => accountId === 'acme'))
})

dead('no consumer group remains', async () => {
  const { groups } = await admin.listGroups()
  assert.equal(
    groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(`${here.prefix}read-`)),
    [],
  )
})

dead('a letter of a person who was erased since then is not sent, with any option', async () => {
  const key = 'acme/2039'
  await here.service.clientWrites('2039', 'Hi', { clientId: '1239', accountId: 'acme' })
  await produce('bot-conversations', { key, value: 'CANARY-2039' })
  const kept = await eventually('the letter', () => letters('headers').find((each) => each.key?.toString() === key))
  const { code, err } = await erase('--account', 'acme', '--chat', '2039', '--yes')
  assert.is(code, 0, err)
  const records = () => on('bot-conversations').filter((record) => record.key?.toString() === key)
  await eventually('the marker', () => records().some((record) => /erased/i.test(header(record, 'ce_type') ?? '')))
  const before = records().length

  const sent = await redriveAlone('send', '--id', idOf(kept), '--force')

  assert.match(linesWith(sent.out, idOf(kept))[0] ?? '', /^refused .* the person has been erased since then/)
  assert.is(sent.code, 1)
  await produce('bot-conversations', { key, value: 'the last record' })
  await eventually('the last record', () => records().at(-1)?.value?.toString() === 'the last record')
  assert.is(records().length, before + 1)
  // After the tests every record without a dead letter must match its schema.
  await eventually('its letter', () => letters('headers').some(({ value }) => value?.toString() === 'the last record'))
})

dead.run()
