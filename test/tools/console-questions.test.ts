import * as assert from 'uvu/assert'
import { inTurn } from '../../src/simulator/behaviour.ts'
import { eventually } from '../support/eventually.ts'
import { overflow, settled, violations } from './console/browser.ts'
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
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    assert.equal([await violations(page), await overflow(page)], [[], 0], `${width} px`)
  }
  assert.equal(errors, [])
  await context.close()
})

questions.run()
