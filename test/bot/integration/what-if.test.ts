import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startBot } from '../../../src/bot/index.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readTopics, withAdmin } from '../../support/plain-consumer.ts'
import { silent } from '../../support/silent-log.ts'
import { world } from '../../support/world.ts'
import { bot as shopBot } from '../what-if/bots/day.ts'

const here = await world({ bot: { replyWithin: 2_000, attempts: 1 } })
await here.start()
const bot = await startBot(shopBot, {
  brokers: here.brokers,
  topicPrefix: here.prefix,
  group: `shop-${here.prefix}bots`,
  log: silent,
})
const { service } = here
const canary = 'Ann Canary, +15550100'

/** A client writes and gets so many messages. */
const asks = async (chatId: string, words: string, answers = 1, fields: Record<string, unknown> = {}) => {
  const before = service.chat(chatId)?.delivered.length ?? 0
  await service.clientWrites(chatId, words, { fields })
  await service.waitFor(
    `an answer in ${chatId}`,
    () => ((service.chat(chatId)?.delivered.length ?? 0) >= before + answers ? true : undefined),
    30_000,
  )
}
const invited = (chatId: string) =>
  service.waitFor(
    `an invitation in ${chatId}`,
    () => ((service.chat(chatId)?.invitations.length ?? 0) > 0 ? true : undefined),
    30_000,
  )

const plays: Readonly<Record<string, () => Promise<unknown>>> = {
  '1': async () => {
    await asks('1', `Hello, I am ${canary}`)
    await asks('1', 'hours')
    await asks('1', 'thank you')
    await service.closeChat('1')
  },
  '2': async () => {
    await asks('2', 'Opening hours', 1, {
      message: { type: 'TEXT', text: 'Opening hours', button_id: 'hours', timestamp: 1 },
    })
    await asks('2', 'hours')
  },
  '3': async () => {
    await asks('3', 'Hello')
    await asks('3', 'agent')
    await invited('3')
    await service.agentJoins('3')
    await asks('3', 'Hello, agent')
  },
  '4': async () => {
    await asks('4', 'agent')
    await invited('4')
    await service.agentUnavailable('4')
    await service.waitFor(
      'an apology',
      () => ((service.chat('4')?.delivered.length ?? 0) >= 2 ? true : undefined),
      30_000,
    )
  },
  // The service refuses the reply, and the bridge invites an agent.
  '5': async () => {
    service.misbehave(() => ({ kind: 'error', status: 400 }), '5')
    await service.clientWrites('5', 'hours')
    await eventually('the failure', async () => (await failures('5')) === 1)
  },
  '6': async () => {
    await service.agentJoins('6')
    await service.clientWrites('6', 'hours')
  },
  // Erased below.
  '7': () => asks('7', `hours of ${canary}`),
  '8': () => service.closeChat('8'),
}
const failures = async (chatId: string) => {
  const { records } = await readTopics(here.brokers, here.prefix, ['bot-conversations'])
  return records.filter(
    ({ key, headers }) => `${key}` === `acme/${chatId}` && `${headers.ce_type}`.includes('BotReplyFailed'),
  ).length
}

const from = new Date(Date.now() - 60_000).toISOString()
for (const play of Object.values(plays)) await play()
const folder = temporaryFolder()
const erase = (client: string) => {
  const receipt = join(folder, `receipt-${client}.json`)
  return runCommand(['erase', '--account', 'acme', '--client', client, '--yes', '--receipt', receipt], here.env)
}
const erased = await erase('7')
const to = new Date(Date.now() + 60_000).toISOString()
await bot.stop()

const botPath = (name: string) => fileURLToPath(new URL(`../what-if/bots/${name}`, import.meta.url))
let runs = 0
const whatIf = async (args: ReadonlyArray<string>) => {
  const out = join(folder, `report-${++runs}`)
  const all = ['what-if', '--account', 'acme', '--from', from, '--to', to, '--out', out, ...args]
  const ran = await runCommand(all, here.env, folder)
  const read = (name: string) => readFileSync(join(out, name), 'utf8')
  type Line = {
    readonly chatId: string
    readonly turn: number
    readonly verdict: string
    readonly [other: string]: unknown
  }
  const lines = (): ReadonlyArray<Line> =>
    read('report.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const verdicts = () =>
    Object.fromEntries(
      [...Map.groupBy(lines(), ({ chatId }) => chatId)]
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([chatId, turns]) => [chatId, turns.map(({ verdict }) => verdict).join(' ')]),
    )
  return { ...ran, stdout: ran.out, out, read, lines, verdicts }
}

const whatIfTest = suite('what-if on real servers')
whatIfTest.after(() => here.stop())

whatIfTest('a client was erased', () => {
  assert.is(erased.code, 0, `${erased.out}${erased.err}`)
})

whatIfTest('the same bot does the same in every turn that can be compared', async () => {
  const { code, err, out, lines, verdicts, read } = await whatIf(['--bot', botPath('day.ts')])
  assert.is(code, 0, err)
  assert.equal(verdicts(), {
    1: 'same same same',
    2: 'same same',
    3: 'same same same',
    4: 'same same',
    5: 'not-comparable',
  })
  const [first] = lines().filter(({ chatId }) => chatId === '1')
  assert.equal(Object.keys(first ?? {}), ['chatId', 'turn', 'verdict', 'observed', 'baseline', 'candidate', 'reason'])
  assert.equal(first?.observed, first?.candidate)
  assert.is(first?.baseline, null)
  for (const name of ['report.jsonl', 'junit.xml', 'report.html']) {
    assert.is(statSync(join(out, name)).mode & 0o777, 0o600)
    assert.not(read(name).includes('Canary'))
    assert.not(read(name).includes('15550100'))
  }
  assert.match(read('report.html'), /1 erased, 1 an agent had it first, 1 nothing for the bot in that time/)
})

whatIfTest('one changed rule is found where it applies first; accepted, it is no news', async () => {
  const found = await whatIf(['--bot', botPath('day-changed.ts'), '--baseline', botPath('day.ts'), '--json'])
  assert.is(found.code, 1, found.err)
  assert.equal(found.verdicts(), {
    1: 'same act not-compared',
    2: 'act not-compared',
    3: 'same same same',
    4: 'same same',
    5: 'not-comparable',
  })
  const { groups, noise, new: news, figures } = JSON.parse(found.stdout)
  assert.equal(noise, { differs: 0, of: 8 })
  assert.is(news, 2)
  assert.equal(
    groups.map(({ client, from: old, to: now, count }: Record<string, unknown>) => [client, old, now, count]).sort(),
    [
      ['TEXT', ['MARKDOWN'], ['TEXT', 'BUTTONS map'], 1],
      ['button hours', ['MARKDOWN'], ['TEXT', 'BUTTONS map'], 1],
    ],
  )
  assert.is(figures.candidate.turns, 8)
  const ids = groups.map(({ id }: { id: string }) => id).join(',')
  const accepting = await whatIf(['--bot', botPath('day-changed.ts'), '--accept', ids])
  assert.is(accepting.code, 0, accepting.err)
  assert.ok(existsSync(join(folder, 'what-if.accepted.json')))
  const next = await whatIf(['--bot', botPath('day-changed.ts')])
  assert.is(next.code, 0, next.err)
  assert.match(next.read('report.jsonl'), /"reason":"group [0-9a-f]{12}, accepted"/)
  assert.not.match(next.read('junit.xml'), /<failure/)
})

whatIfTest('a bot that throws, sleeps and shows four buttons fails in each of these ways', async () => {
  const { code, err, verdicts, lines, read } = await whatIf(['--bot', botPath('day-broken.ts')])
  assert.is(code, 1, err)
  assert.equal(verdicts(), {
    1: 'same threw not-compared',
    2: 'refused not-compared',
    3: 'same slow not-compared',
    4: 'slow not-compared',
    5: 'not-comparable',
  })
  assert.match(
    lines()
      .map(({ reason }) => reason)
      .join('\n'),
    /threw TypeError; group/,
  )
  assert.match(read('junit.xml'), /tests="5" failures="3" errors="1" skipped="1"/)
})

whatIfTest('words are written only if that is recorded, with the day by which they must be deleted', async () => {
  const { code, err, lines, read } = await whatIf(['--bot', botPath('day.ts'), '--with-words'])
  assert.is(code, 0, err)
  assert.match(JSON.stringify(lines()), /How can we help\?/)
  for (const line of lines()) assert.match(`${line.deleteBy}`, /^\d{4}-\d\d-\d\d$/)
  assert.match(read('report.html'), /Delete it by \d{4}-\d\d-\d\d/)
  assert.match(read('junit.xml'), /delete-by/)
  const { records } = await readTopics(here.brokers, here.prefix, ['audit'])
  assert.ok(records.some(({ value }) => /"what-if, account acme, .*with-words/.test(`${value}`)))
})

whatIfTest('the same bot over Kafka gives the same report, and nothing of it is left there', async () => {
  const group = `trial-${here.prefix}bots`
  const own = `${here.prefix}what-if.${group}.`
  const running = whatIf(['--group', group, '--json'])
  const trial = await eventually('the topics of the group', () =>
    startBot(shopBot, { brokers: here.brokers, topicPrefix: own, group, log: silent }).catch(() => undefined),
  )
  const { code, err, stdout, read } = await running
  await trial.stop()
  assert.is(code, 0, err)
  assert.match(err, new RegExp(`Start the bot with TOPIC_PREFIX=${own.replaceAll('.', '[.]')} and GROUP=`))
  assert.match(JSON.parse(stdout).notes.join(), /its clocks and quiet times were real/)
  const inProcess = await whatIf(['--bot', botPath('day.ts')])
  assert.is(read('report.jsonl'), inProcess.read('report.jsonl'))
  const topics = await withAdmin(here.brokers, (admin) => admin.listTopics())
  assert.equal(
    topics.filter((topic) => topic.startsWith(own)),
    [],
  )
  const { records } = await readTopics(here.brokers, here.prefix, ['audit'])
  assert.ok(records.some(({ value }) => `${value}`.includes(`group ${group}`)))
})

whatIfTest('a chat that is erased while what-if runs gets to the bot no more, and is in no report', async () => {
  const group = `erasing-${here.prefix}bots`
  const own = `${here.prefix}what-if.${group}.`
  const running = whatIf(['--group', group, '--json'])
  const messagesOf = async (chatId: string) => {
    const { records } = await readTopics(here.brokers, own, ['bot-conversations'])
    return records.filter(({ key }) => `${key}` === `acme/${chatId}`).length
  }
  await eventually('the first turn of a chat', () =>
    messagesOf('2').then(
      (count) => count === 1,
      () => false,
    ),
  )
  const { code: erasing, err: problem } = await erase('2')
  assert.is(erasing, 0, problem)
  const heard: string[] = []
  const onMessage: NonNullable<typeof shopBot.onMessage> = (event, chat) => {
    heard.push(event.data.chatId)
    return shopBot.onMessage?.(event, chat)
  }
  const options = { brokers: here.brokers, topicPrefix: own, group, log: silent }
  const trial = await startBot({ ...shopBot, onMessage }, options)
  const { code, err, stdout, verdicts, read } = await running
  await trial.stop()
  assert.is(code, 0, err)
  assert.equal(
    [heard.filter((chatId) => chatId === '1').length, heard.filter((chatId) => chatId === '2').length],
    [3, 1],
  )
  assert.equal(Object.keys(verdicts()), ['1', '3', '4', '5'])
  assert.not.match(read('junit.xml'), /name="chat 2"/)
  assert.is(JSON.parse(stdout).chats.skipped.erased, 2)
})

whatIfTest('what cannot run says why, with exit code 2', async () => {
  const rows: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [['--bot', botPath('day.ts'), '--from', '2020-01-01', '--to', '2020-01-02'], /no chat to compare/],
    [['--bot', botPath('day.ts'), '--account', 'nobody'], /No account has the id nobody/],
    [
      ['--bot', botPath('none.ts')],
      /cannot be used: TypeError: expected a default export, an export `bot`, or a call of startBot/,
    ],
    [[], /Give either --bot or --group/],
    [['--bot', botPath('day.ts'), '--fail-on', 'everything'], /Expected one of act, silent/],
  ]
  for (const [args, reason] of rows) {
    const { code, err } = await whatIf(args)
    assert.is(code, 2, err)
    assert.match(err, reason)
  }
})

whatIfTest.run()
