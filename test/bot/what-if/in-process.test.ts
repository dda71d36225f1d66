import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import * as realKit from '../../../src/bot/index.ts'
import { wordsOf } from '../../../src/bot/what-if/acts.ts'
import { type Bot, type ModuleOptions, startBotModule } from '../../../src/bot/what-if/in-process/bot-process.ts'
import * as kit from '../../../src/bot/what-if/in-process/kit.ts'
import type { Answer } from '../../../src/bot/what-if/judge.ts'
import { turnsOf } from '../../../src/bot/what-if/turns.ts'
import { client, delivered, event, rules, shapesOf } from './given-chat.ts'

const inProcess = suite('a bot module in a process of its own')

const bots: Bot[] = []
inProcess.after.each(async () => {
  await Promise.all(bots.splice(0).map((bot) => bot.stop()))
})

const pathOf = (name: string) => fileURLToPath(new URL(`bots/${name}`, import.meta.url))
const start = async (name: string, options: Partial<ModuleOptions> = {}): Promise<Bot> => {
  const started = await startBotModule({ path: pathOf(name), replyWithin: 2_000, network: false, ...options })
  if (E.isLeft(started)) throw new Error(started.left)
  bots.push(started.right)
  return started.right
}
/** The answers of the bot to the turns of one chat. */
const answersOf = async (bot: Bot, events: ReadonlyArray<ConversationEvent>): Promise<ReadonlyArray<Answer>> => {
  const conversing = bot.converse()
  const answers: Answer[] = []
  for (const turn of turnsOf(events, rules)) answers.push(await conversing.ask(turn))
  conversing.end()
  return answers
}
const told = ({ replies, failing }: Answer) => failing?.reason ?? wordsOf(replies).join(' | ')
const asking = (...words: ReadonlyArray<string>) =>
  words.flatMap((each, i) => [client(`m${i}`, `10:0${i}:00`, each), delivered(`d${i}`, `10:0${i}:01`, { to: `m${i}` })])

inProcess(
  'each chat has a fresh state, also in the modules that the bot imports, and the time of the log',
  async () => {
    const bot = await start('remembering.ts')
    const chats = [
      answersOf(bot, asking('a', 'b')),
      answersOf(bot, [event('AgentJoined', 'j1', '09:00:00'), client('m1', '10:05:00', 'c')]),
    ]
    assert.equal(
      (await Promise.all(chats)).map((answers) => answers.map(told)),
      [['1; a; 2026-01-31T10:00', '2; a, b; 2026-01-31T10:01'], ['1; agent, c; 2026-01-31T10:05']],
    )
  },
)

inProcess('a bot cannot use the network, run a process or write a file, unless the network is allowed', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const [closed] = await answersOf(await start('forbidden.ts'), asking(String(port)))
    assert.is(closed && told(closed), Array(7).fill('ERR_ACCESS_DENIED').join(' '))
    assert.is(connections, 0)
    const [open] = await answersOf(await start('forbidden.ts', { network: true }), asking(String(port)))
    assert.is(
      open && told(open),
      'allowed allowed allowed allowed ERR_ACCESS_DENIED ERR_ACCESS_DENIED ERR_ACCESS_DENIED',
    )
    assert.ok(connections > 0)
    assert.not(existsSync(pathOf('written-by-a-bot')))
  } finally {
    server.close()
  }
})

inProcess('each failure has its verdict and a reason without a word of the chat', async () => {
  const bot = await start('failing.ts', { replyWithin: 500 })
  const words = ['throw', 'throw once', 'throw words', 'sleep', 'four buttons', 'anything']
  const answers = await Promise.all(words.map((each) => answersOf(bot, asking(each))))
  assert.equal(
    answers.map(([answer]) => [answer?.failing?.verdict, answer && told(answer)]),
    [
      ['threw', 'threw RangeError'],
      [undefined, 'Hello'],
      ['threw', 'threw an error'],
      ['slow', 'no answer within 500 ms'],
      ['refused', 'reply 1: message.buttons: expected 1 to 3 buttons'],
      [undefined, 'Hello'],
    ],
  )
  assert.is(shapesOf(answers[4]?.[0]?.replies ?? []), 'BUTTONS a, b, c, d')
})

inProcess('huge output, a circular reply and a changed event do no harm', async () => {
  const bot = await start('failing.ts')
  const words = ['huge', 'print', 'change', 'circular', 'anything']
  const answers = await Promise.all(words.map((each) => answersOf(bot, asking(each))))
  assert.equal(
    answers.map(([answer]) => [answer?.failing?.verdict, answer?.replies.length]),
    [
      ['refused', 0],
      [undefined, 1],
      // As in the kit: the bot is asked again with the event that it has changed.
      [undefined, 1],
      ['threw', 0],
      [undefined, 1],
    ],
  )
})

inProcess('a chat that ends or blocks the process of the bot fails alone', async () => {
  const bot = await start('failing.ts', { replyWithin: 500 })
  const words = ['hi', 'exit', 'hi', 'reject', 'hi', 'hang', 'hi']
  const answers = await Promise.all(words.map((each) => answersOf(bot, asking('hello', each))))
  assert.equal(
    answers.map(([, answer]) => answer && told(answer)),
    ['Hello', 'threw ProcessExit', 'Hello', 'ended its process', 'Hello', 'no answer within 500 ms', 'Hello'],
  )
})

inProcess('a turn is one call of onTurn; what it says before is kept; a bot may start itself', async () => {
  const bot = await start('talking.ts')
  const answers = await answersOf(bot, [
    client('m1', '10:00:00'),
    client('m2', '10:00:01'),
    delivered('d2', '10:00:03', { to: 'm2' }),
    client('m3', '10:00:05'),
    delivered('d3', '10:00:06', { to: 'm3' }),
    event('AgentUnavailable', 'u1', '10:00:10'),
  ])
  assert.equal(
    answers.map(({ replies }) => shapesOf(replies)),
    ['TEXT, more follows + TEXT', 'TEXT, more follows + hand-over', 'TEXT'],
  )
})

inProcess('an announcement must be a message, needs an answer, and gives it replyWithin once more', async () => {
  const bot = await start('announcing.ts', { replyWithin: 2_000 })
  const answers = await Promise.all(['hand over', 'none', 'slow'].map((words) => answersOf(bot, asking(words))))
  assert.equal(
    answers.map(([answer]) => answer && [told(answer), answer.failing?.verdict]),
    [
      ['expected a message: return handOver() as the answer', 'refused'],
      ['say() announces an answer: expected a reply', 'refused'],
      ['One moment, please. | Done', undefined],
    ],
  )
})

// The second one exports nothing: it only starts the bot.
for (const module of ['day.ts', '../../../../contracts/guides/examples/bot.ts'])
  inProcess(`a bot imports the kit by the name of its package: ${module}`, async () => {
    const answers = await answersOf(await start(module), asking('hours', 'hello', 'agent'))
    assert.equal(
      answers.map(({ replies }) => shapesOf(replies)),
      ['MARKDOWN', 'BUTTONS hours, agent', 'TEXT + hand-over'],
    )
  })

inProcess('the history is that of the log before the answer, never later', async () => {
  const events = [
    client('m1', '10:00:00', 'one'),
    delivered('d1', '10:00:01', { to: 'm1', message: { type: 'TEXT', text: 'old one' } }),
    event('AgentJoined', 'j1', '10:00:05'),
    client('m2', '10:01:00', 'two'),
    client('m3', '10:01:01', 'three'),
    delivered('d3', '10:01:02', { to: 'm3', message: { type: 'TEXT', text: 'old three' } }),
    client('m4', '10:02:00', 'four'),
  ]
  assert.equal((await answersOf(await start('historian.ts'), events)).map(told), [
    'client one',
    'client one, bot old one, agent, client two | client one, bot old one, agent, client two, client three',
    'client one, bot old one, agent, client two, client three, bot old three, client four',
  ])
  assert.equal(
    (await answersOf(await start('historian-by-turn.ts'), events)).map(told)[1],
    'bot old one, agent, client two, client three',
  )
})

inProcess('what is no bot is refused with the reason', async () => {
  const none = await startBotModule({ path: pathOf('none.ts'), replyWithin: 500, network: false })
  assert.match(E.isLeft(none) ? none.left : '', /expected a default export, an export `bot`, or a call of startBot/)
  const never = await startBotModule({
    path: pathOf('never.ts'),
    replyWithin: 500,
    network: false,
    loadWithinMs: 1_000,
  })
  assert.is(E.isLeft(never) ? never.left : '', 'it has not been loaded within 1000 ms')
  const missing = await startBotModule({ path: pathOf('missing.ts'), replyWithin: 500, network: false })
  assert.match(E.isLeft(missing) ? missing.left : '', /Cannot find module/)
  const python = await startBotModule({ path: pathOf('bot.py'), replyWithin: 500, network: false })
  assert.match(E.isLeft(python) ? python.left : '', /try a bot in another language with --group/)
})

inProcess('a bot imports here everything that it imports of the kit', () => {
  assert.equal(Object.keys(kit).sort(), Object.keys(realKit).sort())
})

inProcess.run()
