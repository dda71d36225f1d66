import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'
import { overflow, settled, violations } from './console/browser.ts'
import { consoleSuite, type Running } from './console/suite.ts'

const hostile = await consoleSuite('hostile texts in the console')
const { test } = hostile

const script = '<script>window.isHacked = true</script>'
const image = '"><img src=x onerror="window.isHacked = true">'
const reversed = '\u202Etxet esrever\u202D \u2066 isolated'
const emoji = '👩‍👩‍👧‍👦🏳️‍🌈e\u0301'
const address = 'javascript:window.isHacked=true'
const long = `${'W'.repeat(60_000)}${'long '.repeat(8_000)}`
/** All kinds in one text, for places that hold only one. */
const all = `${script}${image}${reversed}${emoji}`
const chat = `h-1"><img src=x onerror="window.isHacked=true">/..?a=b#${emoji}`

/** What a page must never contain: a script that ran, or an element that was made from received text. */
const made =
  "[window.isHacked, document.querySelectorAll('main :is(script, img, iframe, object, svg, style, [onerror], [onload]), main a[href^=javascript]').length]"

const isHarmless = async (page: Page, what: string) => {
  assert.equal(await page.evaluate(made), [undefined, 0], what)
  await page.setViewportSize({ width: 360, height: 740 })
  assert.is(await overflow(page), 0, `${what} at 360 px`)
  await page.setViewportSize({ width: 1280, height: 900 })
  assert.is(await overflow(page), 0, what)
}
/** Checks that the page shows all these texts. */
const shows = async (page: Page, texts: ReadonlyArray<string>, what: string) => {
  const text = await page.locator('main').evaluate<string, HTMLElement>((main) => main.textContent ?? '')
  for (const each of texts) assert.ok(text.includes(each), `${what} does not show ${each.slice(0, 60)}`)
}

const payload = (name: string): Record<string, unknown> => JSON.parse(sample('webhooks', name))

/** Sends the hostile texts in every place where the service or a bot may put text. */
const send = async (here: Running) => {
  const { service, produce } = here
  const accepted = payload('chat_accepted')
  const visitor = {
    name: all,
    email: `${image}@example.com`,
    phone: script,
    description: long,
    number: '7',
    chats_count: 1,
  }
  const fields = {
    visitor,
    page: { url: address, title: all },
    agent: { id: '9', name: all, email: image },
    attributes: [{ key: image, value: script }],
    user_token: reversed,
    [image]: { [script]: long },
  }
  await service.webhook('acme', { ...accepted, ...fields, chat_id: 8001 })
  const messages = [
    { message: all, timestamp: 1665396476, type: 'client' },
    { message: long, timestamp: 1665396483, type: 'agent', agent_id: '9' },
  ]
  const agents = [{ id: '9', name: all, email: image }]
  await service.webhook('acme', {
    ...payload('chat_finished'),
    ...fields,
    chat_id: 8001,
    agents,
    chat: { messages, blacklisted: false, rate: 'good', invitation: script },
  })
  const call = { type: 'incoming', phone: script, status: 'error', reason: all, record_url: address }
  await service.webhook('acme', { ...payload('call_event'), ...fields, chat_id: 8001, call })
  const sender = { name: image, [script]: all }
  await service.clientWrites(chat, all, { clientId: image, fields: { sender, custom: fields } })
  await service.clientWrites(chat, long, { clientId: image })
  const command = { type: 'BotMessage', accountId: 'acme', chatId: chat, clientId: image }
  const buttons = [script, image, reversed].map((text, i) => ({ text, id: String(i) }))
  const asks = { type: 'BUTTONS', title: all, text: all, buttons }
  await produce('bot-replies', `acme/${chat}`, JSON.stringify({ ...command, id: script, message: asks }))
  const wrong = { type: 'BUTTONS', title: long, text: all, buttons: [], [image]: all }
  await produce('bot-replies', `acme/${chat}`, JSON.stringify({ ...command, id: image, message: wrong }))
  await service.webhook('acme', { ...accepted, chat_id: all, [script]: [all, long] })
  await service.webhook('acme', { event_name: image, text: all })
}

test('hostile texts do not run, break the layout, or get lost', async (here) => {
  await send(here)
  const { page, context, errors, elsewhere } = await here.open(await here.signInAsAll('hostile'))
  for (const [id, texts] of [
    [chat, [script, image, reversed, emoji]],
    ['8001', [script, image, reversed, emoji, address]],
  ] as const) {
    await eventually(`the story of ${id}`, async () => {
      await page.goto(here.page(`conversations/${encodeURIComponent(id)}`))
      await settled(page)
      return (await page.locator('.entry').count()) > 2
    })
    await isHarmless(page, `${id}, hidden`)
    await page.getByRole('button', { name: 'Show personal data' }).click()
    await page.getByText('is recorded in the audit log').waitFor()
    await shows(page, texts, id)
    await isHarmless(page, id)
    await page
      .getByRole('button', { name: /Show all 100,000/ })
      .first()
      .click()
    await shows(page, [long], id)
    await isHarmless(page, `${id} with all of the long text`)
    await page
      .getByRole('button', { name: /^Details of/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Show the raw record' }).click()
    await page.locator('aside').getByText('Payload').waitFor()
    await isHarmless(page, `${id} with a record`)
    assert.equal(await violations(page), [], id)
  }
  for (const path of ['dead-letters', 'quarantine']) {
    await page.goto(here.page(path))
    await settled(page)
    const ids = page.locator('section', { has: page.locator('#letters') }).locator('tbody th button')
    for (const button of (await ids.all()).slice(0, 2)) {
      await button.click()
      await page.locator('aside').getByRole('button', { name: 'Show the payload' }).click()
      await page.locator('aside').getByText('Payload').waitFor()
      await isHarmless(page, path)
    }
    assert.equal(await violations(page), [], path)
  }
  await page.goto(here.page('drift'))
  await settled(page)
  await page.getByRole('button', { name: 'Show examples' }).click()
  await page.locator('.hidden-text').first().waitFor({ state: 'detached' })
  await isHarmless(page, 'drift')
  await page.goto(here.page(`conversations?id=${encodeURIComponent(image)}`))
  await settled(page)
  await shows(page, [chat], 'conversations')
  await isHarmless(page, 'conversations')
  await page.goto(here.page('privacy'))
  await settled(page)
  await page.getByLabel('By').selectOption('client')
  await page.getByLabel('Value').fill(image)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('button', { name: 'Export' }).waitFor()
  await shows(page, [chat, image], 'privacy')
  await isHarmless(page, 'privacy')
  await page.getByRole('button', { name: /^Erase .*…$/ }).click()
  await page.getByRole('dialog').waitFor()
  await isHarmless(page, 'privacy, erase')
  await page.goto(here.page('audit'))
  await settled(page)
  await isHarmless(page, 'audit')
  for (const query of [
    `conversations?agent=${encodeURIComponent(all)}`,
    `statistics?by=agent&id=${encodeURIComponent(all)}`,
  ]) {
    await page.goto(here.page(query))
    await settled(page)
    await isHarmless(page, query.slice(0, 20))
  }
  assert.equal([errors, elsewhere], [[], []])
  await context.close()
})

hostile.run()
