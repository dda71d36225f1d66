// The kit in Python does what the kit in TypeScript does: the same scenarios, commands, mistakes and marks.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { ConversationEvent } from '../../../contracts/events/index.ts'
import { messageTypes } from '../../../contracts/messages/index.ts'

import { clientWrites, conversationEvent } from '../../../src/bot/harness.ts'
import { mistakesIn } from '../../../src/bot/mistakes.ts'
import { withoutPersonalData } from '../../../src/bot/personal.ts'
import { buttons, handOver, markdown, type Reply, text } from '../../../src/bot/replies.ts'
import { markdown as readMarkdown } from '../../../src/bridge/adapters/markdown.ts'
import { inWordsOf, type Played, play, scenarios, scenariosFile } from '../../bot/scenarios/play.ts'
import { allowed, refused } from '../../bridge/adapters/markdown-cases.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { kitFolder, kitVenv } from './python.ts'

const environment = await kitVenv()
if (E.isLeft(environment)) console.log(`skipped: the bot kit in Python: ${environment.left.message}`)
const { python } = E.getOrElse(() => ({ python: '' }))(environment)

const kit = suite('bot kit in Python')
const test = E.isRight(environment) ? kit : kit.skip

const run = (args: ReadonlyArray<string>, input = '') =>
  execFileSync(python, args, { encoding: 'utf8', input, env: { PATH: process.env.PATH, PYTHONPATH: kitFolder } })
const program = (name: string) => fileURLToPath(new URL(`../../bot/scenarios/${name}`, import.meta.url))

/** A kit words its own errors: the reason of a hand-over after one is left out. */
const comparable = ({ commands, ...played }: Played, isOwnReason: boolean) => ({
  ...played,
  commands: Object.fromEntries(
    Object.entries(commands).map(([chat, all]) => [
      chat,
      all.map((command: BotReply) =>
        isOwnReason && command.type === 'InviteAgent' ? { ...command, reason: undefined } : command,
      ),
    ]),
  ),
})

const played: ReadonlyArray<Played & { readonly name: string }> = E.isRight(environment)
  ? JSON.parse(run([program('play.py'), fileURLToPath(scenariosFile)]))
  : []
for (const [i, scenario] of scenarios.entries())
  test(`${scenario.name}: as the scenario says, and with the commands of the kit in TypeScript`, async () => {
    const { name, ...found } = played[i] ?? { name: '', commands: {}, notes: {}, order: [] }
    assert.is(name, scenario.name)
    const said = inWordsOf(scenario, found)
    assert.equal(said.found, said.expected)
    const isOwnReason = Object.values(scenario.published).some((all) => all.some(({ reason }) => reason === true))
    assert.equal(comparable(found, isOwnReason), comparable(await play(scenario), isOwnReason))
  })

const raw = (message: unknown) => ({ kind: 'message', message }) as Reply
const answers = (count: number) => Array.from({ length: count }, (_, i) => ({ id: String(i), text: `Answer ${i}` }))
const replies: ReadonlyArray<ReadonlyArray<Reply>> = [
  ...allowed.map((content) => [markdown(content)]),
  ...refused.map(([content]) => [markdown(content)]),
  ...messageTypes.map(({ example }) => [raw(example)]),
  [markdown('x'.repeat(4_096))],
  [markdown('[a](/map) and [b](https://a.b)')],
  [markdown('[a](javascript:alert)')],
  [markdown('x'.repeat(4_097))],
  [markdown('😀'.repeat(2_049))],
  [markdown('[^1]\n\n[^1]: a footnote')],
  [text('Hi'), handOver()],
  [handOver(), text('Hi')],
  [text('')],
  [text('\u00a0\ufeff')],
  [text('x'.repeat(65_536))],
  [text('x'.repeat(65_537))],
  ...[0, 1, 3, 4].map((count) => [buttons('Which?', answers(count))]),
  [buttons(' ', answers(1))],
  [buttons('Which?', [{ id: '1', text: ' ' }])],
  [buttons('Which?', [{ id: ' ', text: 'One' }])],
  [buttons('Which?', [{ id: 'x'.repeat(256), text: 'One' }])],
  [buttons('Which?', [{ id: 'a\u0007', text: 'One' }])],
  [raw({ type: 'BUTTONS', title: 'Which?', buttons: [{ id: 7, text: 'One' }], force_reply: true })],
  [raw({ type: 'BUTTONS', title: 'Which?', buttons: [{ id: 7, text: 'One' }], forceReply: null, force_reply: null })],
  [raw({ type: 'BUTTONS', title: 'Which?', buttons: [{ id: '7', text: 'One', colour: 'red' }] })],
  [raw({ type: 'BUTTONS', title: 'Which?', buttons: [{ id: '7', text: 'One' }], forceReply: 'yes' })],
  [raw({ type: 'BUTTONS', title: 'Which?', buttons: 'none' })],
  [raw({ type: 'TEXT', text: 'Hi', buttonId: '7' })],
  [raw({ type: 'TEXT', text: 'Hi', typo: 1 })],
  [raw({ type: 'TEXT', text: 7 })],
  [raw({ type: 'TEXT' })],
  [raw({ type: 'MARKDOWN', content: 'Hi', text: null })],
  [raw({ type: 'MARKDOWN', content: 'Hi', text: 7 })],
  [raw({ type: 'PHOTO', url: 'https://shop.example.com' })],
  [raw('Hi')],
  ['Hi' as never],
  [handOver({ reason: ' ' })],
  [handOver({ summary: 'x'.repeat(4_097) })],
  [handOver({ summary: 'Wants a refund', fields: { Order: '7' }, crmLink: 'https://crm.example.com/7' })],
  [handOver({ fields: { Order: 7 } as never })],
  [handOver({ fields: { Order: ' ' } })],
  [handOver({ fields: ['secret'] as never })],
  [handOver({ fields: Object.fromEntries(answers(21).map(({ id, text: words }) => [id, words])) })],
]
const written = { type: 'TEXT', text: 'I am John', timestamp: '2026-01-31T12:00:00.000Z', buttonId: '7' }
const events: ReadonlyArray<ConversationEvent> = [
  conversationEvent('ClientMessageReceived', { message: written, extra: { passport: 'X1' } }),
  conversationEvent('AgentInvited', { invitedBy: 'bridge', reason: 'no-reply-in-time', extra: { passport: 'X1' } }),
  conversationEvent('AgentJoined', { extra: { passport: 'X1' } }),
  conversationEvent('AgentUnavailable'),
  conversationEvent('ChatClosed'),
  conversationEvent('BotReplyDelivered', {
    message: { type: 'BUTTONS', title: 'Which?', text: 'Which?', buttons: answers(2), timestamp: written.timestamp },
  }),
  conversationEvent('BotReplyFailed', { detail: 'John is unknown', reason: 'rejected' }),
  conversationEvent('BotReplySuppressed', { inReplyTo: 'e1' }),
]
type Checked = {
  readonly mistakes: ReadonlyArray<ReadonlyArray<string>>
  readonly open: ReadonlyArray<unknown>
  readonly types: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<string | null>
}
const checked: Checked = E.isRight(environment)
  ? JSON.parse(run([program('check.py')], JSON.stringify({ replies, events })))
  : { mistakes: [], open: [], types: [], kinds: [] }

test('it knows every type of event that bots read', () => {
  const read = [...ConversationEvent.types.map(({ name }) => name), 'ChatErased']
  assert.equal(checked.types, read.toSorted())
})

test('it says as the kit in TypeScript which Markdown is sent as plain text, and which loses a link', () => {
  const contents = replies.flatMap((each) =>
    each.flatMap((reply) =>
      Object(reply).kind === 'message' && Object(reply).message.type === 'MARKDOWN'
        ? [Object(reply).message.content]
        : [],
    ),
  )
  const kinds = contents.map((content) => {
    const { unsupported, shown } = readMarkdown(content)
    return unsupported.length > 0 ? 'TEXT' : shown === content ? null : 'MARKDOWN'
  })
  assert.equal(checked.kinds, kinds)
  assert.equal([...new Set(kinds)].sort(), ['MARKDOWN', 'TEXT', null])
})

test('it finds mistakes in the replies in which the kit in TypeScript does, and never quotes them', () => {
  const isWrong = (mistakes: ReadonlyArray<string> = []) => mistakes.length > 0
  for (const [i, each] of replies.entries())
    assert.is(
      isWrong(checked.mistakes[i]),
      isWrong(mistakesIn(clientWrites('Hello'), each, 'refuse')),
      JSON.stringify(each).slice(0, 200),
    )
  assert.not.match(JSON.stringify(checked.mistakes), /secret|colour\b.*red|refund/)
})

test('an event without personal data is the same', () => {
  assert.equal(
    checked.open,
    events.map((event) => withoutPersonalData(event).data),
  )
})

test('its own tests pass', () => {
  run([program('test_kit.py'), '--quiet'])
})

test('its types are complete and right', () => {
  run([
    '-m',
    'mypy',
    '--python-version',
    '3.10',
    '--cache-dir',
    temporaryFolder(),
    '--config-file',
    join(kitFolder, 'pyproject.toml'),
    join(kitFolder, 'livechat_bot'),
  ])
})

test('it is built as a wheel, which has its types and the marks of the events', () => {
  const into = temporaryFolder()
  const build =
    'import os, sys; from hatchling.build import build_wheel; os.chdir(sys.argv[1]); build_wheel(sys.argv[2])'
  run(['-c', build, kitFolder, into])
  const [wheel = ''] = readdirSync(into)
  assert.match(wheel, /^livechat_bot-[\d.]+-py3-none-any\.whl$/)
  const marks =
    'import livechat_bot, livechat_bot.personal as p; print(livechat_bot.__file__, len(list(p._schemas.iterdir())))'
  const at = join(into, wheel)
  execFileSync(python, ['-m', 'zipfile', '-e', at, join(into, 'unpacked')])
  const found = execFileSync(python, ['-c', marks], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONPATH: join(into, 'unpacked') },
  })
  assert.match(found, /unpacked.* 9\n$/)
  assert.ok(readdirSync(join(into, 'unpacked', 'livechat_bot')).includes('py.typed'))
})

kit.run()
