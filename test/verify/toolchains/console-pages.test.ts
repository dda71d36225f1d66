import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { AuditDocument } from '../../../contracts/views/audit.ts'
import { auditDetailsOf } from '../../../src/console/pages/audit/details.ts'
import { eventually } from '../../support/eventually.ts'
import { settled, violations } from './console/browser.ts'
import { consoleSuite, type Running } from './console/suite.ts'

const pages = await consoleSuite('the pages of the console, on what the demo has played')
const { test } = pages

/** The chat in which the bot of the demo answered twice. */
const answeredChat = async ({ db }: Running): Promise<string> => {
  const found = await db
    .collection('sessions')
    .findOne({ accountId: 'acme', kind: 'bot', outcome: 'contained' }, { sort: { startedAt: 1 } })
  return String(found?.chatId)
}

/** Waits until the page shows what is stored. A view or a page may be late for a moment. */
const agree = async (what: string, shown: () => Promise<unknown>, stored: () => Promise<unknown>) => {
  const last = { shown: undefined as unknown, stored: undefined as unknown }
  const isSame = async () => {
    Object.assign(last, { shown: await shown(), stored: await stored() })
    return isDeepStrictEqual(last.shown, last.stored)
  }
  await eventually(what, isSame, 15_000).catch((error: unknown) => {
    // The page never showed it.
    if (last.shown === undefined) throw error
    assert.equal(last.shown, last.stored, what)
  })
}
const card = (page: Page, id: string) => page.locator('section', { has: page.locator(`#${id}`) })

test('the printed link signs in a user once, with access to every account', async (here) => {
  const { out } = await here.command('console', 'link')
  const { page, context, errors } = await here.open()
  await page.goto(out.trim())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await settled(page)
  assert.is(await page.locator('main h1').innerText(), 'Now')
  assert.equal(await page.locator('.account option').allInnerTexts(), ['acme', 'other'])
  assert.equal(errors, [])
  await page.goto(out.trim())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('A sign-in link works once').waitFor()
  await context.close()
})

test('the pages Now and System show waiting clients, today’s figures, and the result of /readyz', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const { db, bridge } = here
  await page.goto(here.page('now'))
  await settled(page)
  const waiting = { accountId: 'acme', awaitingReplySince: { $exists: true } }
  await agree(
    'who waits',
    () => card(page, 'waiting').locator('.big').first().innerText(),
    async () => String(await db.collection('conversations').countDocuments(waiting)),
  )
  const figure = (name: string) =>
    page
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .locator('td')
      .first()
      .innerText()
  await agree(
    'the figures of today',
    () => Promise.all(['Bot conversations', 'Agent chats'].map(figure)),
    async () => {
      const startedAt = { $gte: new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`) }
      const counts = ['bot', 'agent'].map((kind) =>
        db.collection('sessions').countDocuments({ accountId: 'acme', kind, startedAt }),
      )
      return (await Promise.all(counts)).map(String)
    },
  )
  await page.goto(here.page('system'))
  await settled(page)
  const checks = await card(page, 'health')
    .locator('.checks strong')
    .evaluateAll<string[], HTMLElement>((all) => all.map(({ title }) => title))
  for (const name of Object.keys(JSON.parse(await bridge.readiness()).checks)) assert.ok(checks.includes(name), name)
  const archiver = card(page, 'health')
    .getByRole('listitem')
    .filter({ has: page.getByTitle('archiver', { exact: true }) })
  assert.match(
    await archiver.innerText(),
    /Events are not archived[\s\S]*does not run: .*\s+First: give it the key file/,
  )
  await context.close()
})

test('the chart of events has the same numbers as a table, of one hour or of a day', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  await page.goto(here.page('now'))
  await settled(page)
  const events = card(page, 'events')
  await events.getByText('As a table').click()
  const cells = events.locator('tbody td')
  const words = events.getByText(' in all. ')
  for (const [span, minutes] of [
    ['24 h', 24 * 60],
    ['1 h', 60],
  ] as const) {
    await events.getByRole('button', { name: span, exact: true }).click()
    await agree(
      `the events of ${span}`,
      async () => {
        const each = (await cells.allInnerTexts()).map(Number)
        return [each.length, String(each.reduce((sum, one) => sum + one, 0))]
      },
      async () => [minutes, /^([\d,]+) in all\./.exec(await words.innerText())?.[1]?.replaceAll(',', '')],
    )
  }
  assert.equal(await violations(page), [])
  await context.close()
})

test('the page Conversations has every session, the newest first, and its filters are in the address', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const chats = (where: object) => async () => {
    const found = here.db
      .collection('sessions')
      .find({ accountId: 'acme', ...where })
      .sort({ startedAt: -1 })
      .limit(50)
    return (await found.toArray()).map(({ chatId }) => chatId)
  }
  const shown = () => page.locator('tbody th a').allInnerTexts()
  await page.goto(here.page('conversations'))
  await settled(page)
  await agree('all sessions', shown, chats({}))
  await page.getByText('More filters').click()
  await page.getByLabel('Outcome').selectOption('contained')
  await page.waitForURL(/outcome=contained/)
  await agree('those that the bot answered alone', shown, chats({ outcome: 'contained' }))
  await page.reload()
  await settled(page)
  await agree('the same by the address', shown, chats({ outcome: 'contained' }))
  await page.locator('tbody th a').first().click()
  await page.waitForURL(/\/conversations\/[^/?]+$/)
  await settled(page)
  await page.reload()
  await settled(page)
  await page.locator('.crumbs a').click()
  await page.waitForURL(/\/conversations\?outcome=contained$/)
  await context.close()
})

test('a conversation is masked until it is unmasked, and the unmask is in the audit log', async (here) => {
  const chat = await answeredChat(here)
  const { page, context } = await here.open(await here.signInAsAll('unmasks'))
  await page.goto(here.page(`conversations/${chat}`))
  await settled(page)
  const events = await here.db.collection('timeline').countDocuments({ accountId: 'acme', chatId: chat })
  await page.getByLabel(`The story: ${events} events`).waitFor()
  assert.equal(await page.locator('.entry.message .hidden-text').allInnerTexts(), Array(4).fill('hidden'))
  await page.getByRole('button', { name: 'Show personal data' }).click()
  await page.getByText('You said: Hello').waitFor()
  assert.equal(await page.locator('.entry.message .words').allInnerTexts(), [
    'Hello',
    'You said: Hello',
    'buttons',
    'What would you like to know?',
  ])
  assert.is(await page.locator('.answers li').count(), 3)
  await page.getByRole('button', { name: 'Details of BotReplyDelivered' }).first().click()
  await page.getByRole('button', { name: 'Show the raw record' }).click()
  const panel = page.locator('aside.panel')
  await panel.getByText('livechat.BotReplyDelivered').first().waitFor()
  const who = /^unmasks/
  const shownOf = (document: AuditDocument) => {
    const { words, chat } = auditDetailsOf(document)
    return chat === undefined ? words : `${words} · chat ${chat}`
  }
  await agree(
    'the audit log',
    async () => {
      await page.goto(here.page('audit'))
      await settled(page)
      return (await page.getByRole('row', { name: 'unmasks@' }).locator('td.details').allInnerTexts()).toSorted()
    },
    async () => (await here.db.collection<AuditDocument>('audit').find({ who }).toArray()).map(shownOf).toSorted(),
  )
  assert.is(await here.db.collection('audit').countDocuments({ who, action: 'unmask' }), 2)
  await context.close()
})

test('the pages Statistics and Drift have the data of the views', async (here) => {
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  const names = ['Chats accepted', 'Bot conversations']
  await agree(
    'the newest day',
    async () => {
      await page.goto(here.page('statistics?part=Volume'))
      await settled(page)
      const head = await page.locator('thead th').allInnerTexts()
      const cells = await page.locator('tbody tr').last().locator('th, td').allInnerTexts()
      return names.map((name) => cells[head.indexOf(name)])
    },
    async () => {
      const day = await here.db.collection('daily_stats').findOne({ accountId: 'acme' }, { sort: { day: -1 } })
      return [day?.chats.accepted, day?.conversations.started].map(String)
    },
  )
  await page.goto(here.page('drift?kind=unknown-event'))
  await settled(page)
  await agree(
    'unknown events',
    async () => (await page.locator('tbody td:nth-child(2) bdi').allInnerTexts()).toSorted(),
    async () => {
      const found = here.db.collection('drift').find({ accountId: 'acme', kind: 'unknown-event' })
      return (await found.toArray()).map(({ event }) => event).toSorted()
    },
  )
  await context.close()
})

test('everything can be done with the keyboard', async (here) => {
  const chat = await answeredChat(here)
  const { page, context } = await here.open(await here.signInAsAll('pages'))
  await page.goto(here.page('now'))
  await settled(page)
  await page.keyboard.press('/')
  await page.waitForURL(/\/conversations$/)
  await page.locator('[data-search]:focus').waitFor()
  await page.keyboard.type(chat)
  await page.keyboard.press('Enter')
  // So many digits may also be a phone number.
  await page.getByRole('button', { name: 'Search it as an id' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`id=${chat}`))
  await eventually('one row', async () => (await page.locator('tbody tr').count()) === 1)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/conversations/${chat}$`))
  await settled(page)
  const focused = () => page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.tagName')
  const moves: string[] = []
  for (const key of ['j', 'j', 'k']) {
    await page.keyboard.press(key)
    moves.push(await focused())
  }
  assert.equal(moves, [
    'Details of ClientMessageReceived',
    'Details of BotReplyDelivered',
    'Details of ClientMessageReceived',
  ])
  await page.keyboard.press('Enter')
  await page.locator('aside.panel').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('aside.panel').waitFor({ state: 'detached' })
  await eventually('the focus to be back', async () => (await focused()) === 'Details of ClientMessageReceived')
  for (const [key, title] of [
    ...([
      ['s', 'Statistics'],
      ['d', 'Dead letters'],
      ['q', 'Quarantine'],
      ['r', 'Drift'],
      ['y', 'System'],
      ['p', 'Privacy'],
    ] as const),
    ...([
      ['a', 'Audit log'],
      ['n', 'Now'],
      ['c', 'Conversations'],
    ] as const),
  ]) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await context.close()
})

pages.run()
