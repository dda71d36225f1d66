import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import * as assert from 'uvu/assert'
import { dayPlus, daysSinceMonday } from '../../../src/console/browser/format.ts'
import { inTurn } from '../../../src/tools/simulator/behaviour.ts'
import { eventually } from '../../support/eventually.ts'
import { flaws, settled, violations } from './console/browser.ts'
import { consoleSuite } from './console/suite.ts'

const questions = await consoleSuite('questions that the console answers')
const { test } = questions

const message = (chatId: string, text: object) =>
  JSON.stringify({
    type: 'BotMessage',
    id: `why-${chatId}`,
    accountId: 'acme',
    chatId,
    clientId: chatId,
    message: { type: 'TEXT', ...text },
  })

test('why did replies fail this week: by reason and last answer, with links to the chats', async (here) => {
  const [refused, invalid] = ['why-refused', 'why-invalid']
  for (const chat of [refused, invalid]) await here.service.clientWrites(chat, 'Hello')
  here.service.misbehave(inTurn({ kind: 'error', status: 422 }), refused)
  await here.produce('bot-replies', `acme/${refused}`, message(refused, { text: 'Hello' }))
  await here.produce('bot-replies', `acme/${invalid}`, message(invalid, {}))
  await eventually('both to fail', async () => {
    const failed = { chatId: { $in: [refused, invalid] }, commandType: 'BotMessage', state: 'failed' }
    return (await here.db.collection('deliveries').countDocuments(failed)) === 2
  })

  const { page, context, errors } = await here.open(await here.signInAsAll('questions'))
  await page.goto(here.page('statistics'))
  await page.getByRole('button', { name: '7 days' }).click()
  await page.getByRole('button', { name: 'Failed replies' }).click()
  await page.waitForURL(/part=Failed/)
  const table = page.getByRole('region', { name: 'Failed replies by reason' })
  const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: refused, exact: true }) })
  assert.equal(
    [await row.locator('th').innerText(), await row.locator('td').first().innerText()].map((text) => text.split('\n')),
    [
      ['The service refused it, and that is final.', 'Last answer of the service: 422, invalid_request'],
      ['Message of the bot'],
    ],
  )
  const mistakes = table.getByRole('row').filter({ has: page.getByRole('link', { name: invalid, exact: true }) })
  await mistakes.getByRole('link', { name: 'What was expected' }).click()
  await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor()
  await settled(page)
  await page.goBack()
  await row.getByRole('link', { name: refused, exact: true }).click()
  await page.waitForURL(new RegExp(`/conversations/${refused}$`))
  await settled(page)

  await page.goto(here.page('statistics?part=Failed&from=2020-01-01&to=2020-01-07'))
  await page.getByText('No reply failed in this period.').waitFor()
  assert.equal(await violations(page), [])
  await page.goto(here.page('statistics?part=Failed'))
  await table.waitFor()
  assert.equal(await flaws(page), [])
  assert.equal(errors, [])
  await context.close()
})

test('how did the team do last week, compared with the weeks before: by agent and together', async (here) => {
  const today = new Date().toISOString().slice(0, 10)
  const monday = dayPlus(today, -daysSinceMonday(today))
  const [last, before] = [dayPlus(monday, -7), dayPlus(monday, -14)]
  const day = (day: string, started: number, by = {}) => {
    const sessions = { agent: { started, open: 0 }, bot: { started: 0, open: 0 } }
    return { accountId: 'acme', day, sessions, figures: {}, ...by, asOf: new Date() }
  }
  const agent = { by: 'agent', id: 'week-1' }
  const days = here.db.collection<{ _id: string }>('daily_stats')
  const byAgent = here.db.collection<{ _id: string }>('daily_stats_by')
  await days.insertMany([
    { ...day(last, 30), _id: `acme/${last}` },
    { ...day(before, 40), _id: `acme/${before}` },
  ])
  await byAgent.insertMany([
    { ...day(last, 12, agent), _id: `acme/${last}/agent/week-1` },
    { ...day(before, 10, agent), _id: `acme/${before}/agent/week-1` },
  ])
  const { page, context, errors } = await here.open(await here.signInAsAll('questions'))
  await page.goto(here.page('statistics'))
  await page.getByRole('table', { name: 'The whole team, week by week' }).waitFor()
  await page.getByRole('button', { name: 'Last week' }).click()
  await page.getByText(`compared with `).waitFor()
  const cells = async (name: string) =>
    (await page.getByRole('row', { name }).locator('td').first().innerText()).split(/\s*\n\s*/)
  assert.equal(
    [await cells('The whole team'), await cells('week-1')],
    [
      ['30', '−25 %', 'was 40'],
      ['12', '+20 %', 'was 10'],
    ],
  )
  const weeks = await page
    .getByRole('table', { name: 'The whole team, week by week' })
    .locator('tbody td:nth-child(2)')
    .allInnerTexts()
  // First this week, and the same part of the week before.
  assert.equal(weeks.slice(2), ['30', '40', '–'])
  assert.equal(await flaws(page), [])
  assert.equal(errors, [])
  await days.deleteMany({ _id: { $in: [`acme/${last}`, `acme/${before}`] } })
  await byAgent.deleteMany({ id: 'week-1' })
  await context.close()
})

test('agents have names in the statistics only when somebody asks for them, which the audit log records', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('names-asked'))
  const looks = () => here.db.collection('audit').countDocuments({ who: /^names-asked/, detail: 'names of agents' })
  const show = page.getByRole('button', { name: 'Show names' })
  await eventually('statistics of an agent', async () => {
    await page.goto(here.page('statistics?by=agent'))
    await settled(page)
    return (await show.count()) === 1
  })
  await page.getByText('The audit log records that you looked.').waitFor()
  await show.click()
  await show.waitFor({ state: 'detached' })
  await eventually('one look, that of the button', async () => (await looks()) === 1)
  await context.close()
})

test('who looked at what, and when: the audit log by person and day, as a list and as a file', async (here) => {
  const [ann, bob] = [await here.signInAsAll('audited-ann'), await here.signInAsAll('audited-bob')]
  for (const [chat, signedIn] of [
    ['audited-1', ann],
    ['audited-2', ann],
    ['audited-3', bob],
  ] as const)
    assert.is((await here.ask(`accounts/acme/conversations/${chat}/unmask`, signedIn, {})).status, 200)
  const recorded = { who: /^audited-/ }
  const arrived = async () => (await here.db.collection('audit').countDocuments(recorded)) === 3
  await eventually('what was recorded', arrived)

  const { page, context, errors } = await here.open(await here.signInAsAll('questions'))
  await page.goto(here.page('audit'))
  await settled(page)
  await page.getByRole('button', { name: 'audited-ann@example.com' }).first().click()
  await page.waitForURL(/who=audited-ann/)
  await page.getByRole('button', { name: '7 days' }).click()
  await page.waitForURL(/from=/)
  const details = page.locator('tbody td.details')
  await eventually('the looks of one person', async () =>
    isDeepStrictEqual((await details.allInnerTexts()).toSorted(), [
      'Conversation · chat audited-1',
      'Conversation · chat audited-2',
    ]),
  )
  assert.is(await page.getByLabel('Who', { exact: true }).inputValue(), 'audited-ann@example.com')
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save as CSV' }).click()
  const file = await readFile(await (await saving).path(), 'utf8')
  const lines = file.trimEnd().split('\r\n')
  assert.equal(
    lines.slice(1).map((line) => line.split(',').slice(1, 5)),
    ['audited-2', 'audited-1'].map((chat) => [
      'audited-ann@example.com',
      'Looked at personal data',
      'Conversation',
      chat,
    ]),
  )
  await page.getByLabel('About', { exact: true }).fill('audited-1')
  await page.keyboard.press('Enter')
  await page.waitForURL(/about=audited-1/)
  await eventually('the look at one chat', async () => (await details.count()) === 1)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('expected a time, and a later one').waitFor()
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await page.getByText('Nothing is recorded that matches these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('row', { name: 'audited-bob@' }).waitFor()
  assert.equal(await flaws(page), [])
  // The refusal of the wrong days is an error of the browser's console too.
  assert.is(errors.filter((error) => !error.includes('400')).length, 0)
  await context.close()
})

questions.run()
