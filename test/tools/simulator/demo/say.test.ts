import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { createEventLog } from '../../../../src/tools/simulator/demo/log.ts'
import { callIn, isMoreToCome, linesOf, talkToBot } from '../../../../src/tools/simulator/demo/say.ts'
import type { DemoAccount } from '../../../../src/tools/simulator/demo/story.ts'
import type { Service } from '../../../../src/tools/simulator/service.ts'

const talk = suite('a client of the demo')

const account = {
  id: 'demo',
  webhooks: { token: 'w' },
  bot: { token: 'b', replyWithin: 10_000 },
} as unknown as DemoAccount

type Record = { readonly topic?: string; readonly key?: string; readonly type?: string; readonly data: object }

const logOf = (records: ReadonlyArray<Record>) => {
  const log = createEventLog()
  for (const [offset, { topic = 'bot-conversations', key, type, data }] of records.entries())
    log.add({
      topic,
      partition: 0,
      offset,
      key: key === undefined ? null : Buffer.from(key),
      headers:
        type === undefined ? {} : { ce_type: Buffer.from(`livechat.${type}.v1`), ce_id: Buffer.from(`e${offset}`) },
      value: Buffer.from(JSON.stringify(data)),
    } as unknown as IncomingRecord)
  return log
}
const invited = (data: object) => ({ type: 'AgentInvited', data: { chatId: '7', ...data } })
const delivered = (data: object, chatId = '7') => ({ type: 'BotReplyDelivered', data: { chatId, ...data } })
const command = { accountId: 'demo', chatId: '7', clientId: '7' }

talk('who called an agent, and why, is read from the log', () => {
  const asked = delivered({ commandType: 'InviteAgent', commandId: 'c1' })
  const doesItRun = 'does your bot run, with the same brokers and TOPIC_PREFIX?'
  const rows: ReadonlyArray<readonly [ReadonlyArray<Record>, ReturnType<typeof callIn>]> = [
    [[], undefined],
    [[delivered({ commandType: 'BotMessage', commandId: 'c1' })], undefined],
    [
      [invited({ invitedBy: 'bridge', reason: 'no-reply-in-time' })],
      { by: 'bridge', lines: [`the bridge calls an agent: no reply in time; ${doesItRun}`] },
    ],
    [
      [invited({ invitedBy: 'bridge', reason: 'delivery-failed' })],
      { by: 'bridge', lines: ['the bridge calls an agent: the reply of the bot could not be delivered'] },
    ],
    [
      [invited({ invitedBy: 'service' })],
      { by: 'service', lines: ['the service calls an agent: the bridge did not answer in time'] },
    ],
    [[asked], { by: 'bot', lines: ['bot:    (calls an agent)'] }],
    [
      [
        { topic: 'bot-replies', data: { type: 'InviteAgent', id: 'c1', ...command, reason: 'The client asks.' } },
        {
          topic: 'enrichments',
          key: 'demo/chatId:7',
          data: {
            customData: [
              { title: 'Summary', content: 'Wants a refund' },
              { title: 'Order', content: '7', link: 'https://shop.example.com/7' },
            ],
          },
        },
        { topic: 'enrichments', key: 'demo/chatId:8', data: { customData: [{ content: 'of another chat' }] } },
        asked,
      ],
      {
        by: 'bot',
        lines: [
          'bot:    (calls an agent: The client asks.)',
          '        Summary: Wants a refund',
          '        Order: 7 (https://shop.example.com/7)',
        ],
      },
    ],
  ]
  for (const [records, expected] of rows) assert.equal(callIn({ log: logOf(records), account }, '7'), expected)
})

talk('the newest delivered reply of the chat says whether the answer follows', () => {
  const more = delivered({ expectsMore: true })
  assert.is(isMoreToCome(logOf([]), '7'), false)
  assert.is(isMoreToCome(logOf([more, delivered({}, '8')]), '7'), true)
  assert.is(isMoreToCome(logOf([more, delivered({})]), '7'), false)
})

type Says = { readonly atMs: number; readonly text?: string; readonly expectsMore?: boolean; readonly calls?: object }

/** What is printed if the bot answers each line so. Times are from the line on. */
const printed = async (answers: ReadonlyArray<ReadonlyArray<Says>>, { regular = true } = {}) => {
  const lines: string[] = []
  const chats = new Set<string>()
  let ms = 0
  const said: Array<Says & { readonly due: number }> = []
  const due = () => said.filter(({ due: at }) => at <= ms)
  const service = {
    connect: () => {},
    clientWrites: async (chatId: string) => {
      for (const each of answers[lines.filter((line) => line.startsWith('client')).length - 1] ?? [])
        said.push({ ...each, due: ms + each.atMs })
      chats.add(chatId)
      return { id: 'm1', attempts: [], regular }
    },
    chat: () => ({
      delivered: due().flatMap(({ text }) => (text === undefined ? [] : [{ message: { text } }])),
      invitations: due().filter(({ calls }) => calls !== undefined),
    }),
  } as unknown as Service
  const log = {
    filter: (wanted: Parameters<ReturnType<typeof createEventLog>['filter']>[0]) =>
      logOf(
        due().map(({ calls, expectsMore }) =>
          calls ? invited(calls) : delivered({ expectsMore: expectsMore === true }),
        ),
      )
        .filter(() => true)
        .map((seen) => ({ ...seen, data: { ...seen.data, chatId: [...chats][0] } }))
        .filter(wanted),
  }
  const typed = async function* () {
    for (const [i] of answers.entries()) {
      lines.push(`client: ${i + 1}`)
      yield String(i + 1)
    }
  }
  const isAnswered = await talkToBot(typed(), {
    bridgeUrl: 'http://127.0.0.1:1',
    account,
    service,
    log,
    out: (line) => void lines.push(line),
    sleep: async (wait) => {
      ms += wait
    },
    now: () => ms,
  })
  assert.is(chats.size, 1)
  return [isAnswered, lines] as const
}

talk('the next line waits for the answer to the one before, in the same chat', async () => {
  const answers = [
    [{ atMs: 3_000, text: 'One' }],
    [
      { atMs: 200, text: 'Two' },
      { atMs: 1_500, text: 'and more' },
    ],
  ]
  assert.equal(await printed(answers), [
    true,
    ['client: 1', 'bot:    One', 'client: 2', 'bot:    Two', 'bot:    and more'],
  ])
})

talk('after a reply that expects more the answer is awaited', async () => {
  const answers = [
    [
      { atMs: 100, text: 'One moment.', expectsMore: true },
      { atMs: 11_000, text: 'Done' },
    ],
    [],
  ]
  assert.equal((await printed(answers))[1]?.slice(0, 4), [
    'client: 1',
    'bot:    One moment.',
    'bot:    Done',
    'client: 2',
  ])
})

talk('without a bot it is the bridge that calls an agent, and the talk has failed', async () => {
  const calls = { invitedBy: 'bridge', reason: 'no-reply-in-time' }
  assert.equal(await printed([[{ atMs: 10_000, calls }], [{ atMs: 0, text: 'never' }]]), [
    false,
    [
      'client: 1',
      'the bridge calls an agent: no reply in time; does your bot run, with the same brokers and TOPIC_PREFIX?',
    ],
  ])
})

talk('a client is told why nobody answers', async () => {
  assert.equal(await printed([[]]), [
    false,
    ['client: 1', 'Nobody answered: does your bot run, with the same brokers and TOPIC_PREFIX?'],
  ])
  assert.equal(await printed([[]], { regular: false }), [
    false,
    ['client: 1', 'The bridge at http://127.0.0.1:1 did not take the message.'],
  ])
})

talk('lines that came before the input ended are still said, typed or not', async () => {
  for (const isTTY of [false, true]) {
    const input = Object.assign(new PassThrough(), { isTTY })
    const said: string[] = []
    const terminal = { input, output: new PassThrough(), out: (line: string) => void said.push(line) }
    const lines = linesOf([], terminal)
    input.end('Hello\nI want a person\n')
    const first = await lines.next()
    // The bot answers meanwhile.
    await finished(input)
    const heard = [first.value]
    for await (const line of lines) heard.push(line)
    assert.equal(heard, ['Hello', 'I want a person'])
    const shown = isTTY
      ? ['Write to the bot; an empty line ends the talk.']
      : ['client: Hello', 'client: I want a person']
    assert.equal(said, shown)
  }
})

talk.run()
