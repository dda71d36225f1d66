import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { type Acts, actOf, handOver } from '../../../src/bot/what-if/acts.ts'
import type { Compared } from '../../../src/bot/what-if/chat.ts'
import type { Bot } from '../../../src/bot/what-if/in-process/bot-process.ts'
import type { Answer } from '../../../src/bot/what-if/judge.ts'
import { divergences } from '../../../src/bot/what-if/judge.ts'
import { junitXml } from '../../../src/bot/what-if/reports/junit.ts'
import { lineOf, wordHash } from '../../../src/bot/what-if/reports/line.ts'
import { reportPage } from '../../../src/bot/what-if/reports/page.ts'
import type { Report } from '../../../src/bot/what-if/reports/report.ts'
import { runWhatIf } from '../../../src/bot/what-if/run.ts'
import type { LoggedChat } from '../../../src/bot/what-if/source.ts'
import type { Turn } from '../../../src/bot/what-if/turns.ts'
import { client, delivered, event, failed, handedOver, rules } from './given-chat.ts'

/** What nobody may read in a report without words: it stands in everything that a client or a bot says. */
export const canary = 'Ann <b>Canary</b> & "sons", +15550100'

const account = {
  id: 'acme' as never,
  requestsPerSecond: 1,
  timeZone: 'UTC',
  webhooks: { token: 'token-of-a-test-account' },
}

const text = (words: string) => actOf({ type: 'TEXT', text: `${words} ${canary}` }, false)
const menu = (...ids: ReadonlyArray<string>) =>
  actOf(
    {
      type: 'BUTTONS',
      title: `How can we help, ${canary}?`,
      buttons: ids.map((id) => ({ id: id as never, text: id })),
    },
    false,
  )

const inChat = <E extends ConversationEvent>(chatId: string, told: E): E =>
  ({ ...told, subject: chatId, data: { ...told.data, chatId } }) as E

/** The client asks for the hours and for an agent, who joins. */
const chat = (chatId: string): LoggedChat => ({
  chatId,
  events: [
    client('m1', '10:00:00', `hello ${canary}`),
    delivered('d1', '10:00:01', {
      to: 'm1',
      message: {
        type: 'BUTTONS',
        title: `How can we help, ${canary}?`,
        buttons: ['hours', 'agent'].map((id) => ({ id, text: id })),
      },
    }),
    client('m2', '10:00:05', 'Opening hours', { buttonId: 'hours' }),
    delivered('d2', '10:00:06', { to: 'm2', message: { type: 'TEXT', text: `From 9 to 20. ${canary}` } }),
    client('m3', '10:00:10', 'agent'),
    handedOver('d3', '10:00:11', 'm3'),
    event('AgentInvited', 'i3', '10:00:12'),
    client('m4', '10:00:20', `hello? ${canary}`),
    event('AgentJoined', 'j4', '10:00:30'),
  ].map((each) => inChat(chatId, each)),
})
const undelivered = (chatId: string): LoggedChat => ({
  chatId,
  events: [client('m1', '10:00:00', canary), failed('f1', '10:00:05', { to: 'm1', reason: 'attempts' })].map((each) =>
    inChat(chatId, each),
  ),
})

const said = ({ events: [first, ...others] }: Turn): string => {
  const last = others.at(-1) ?? first
  return last.type === 'ClientMessageReceived' ? (last.data.message.buttonId ?? last.data.message.text ?? '') : ''
}
type Rule = (words: string, chatId: string) => Acts | Answer

const oldRules: Rule = (words) => {
  if (words === 'hours') return [text('From 9 to 20.')]
  return words === 'agent' ? [handOver] : [menu('hours', 'agent')]
}
const newRules: Rule = (words, chatId) => {
  if (words === 'hours' && chatId === '5')
    return { replies: [], failing: { verdict: 'threw', reason: 'threw TypeError' }, ms: 1 }
  if (words === 'hours') return [text('From 9 to 20.'), menu('way', 'phone')]
  if (words === 'agent' && chatId === '7') return []
  return oldRules(words, chatId)
}
const botOf = (rule: Rule, ms: number): Bot => ({
  converse: () => ({
    ask: async (turn) => {
      const answer = rule(said(turn), turn.events[0].data.chatId)
      return Array.isArray(answer) ? { replies: answer, ms } : (answer as Answer)
    },
    end: () => {},
  }),
  stop: async () => {},
})

/** A whole run in memory, with its report. */
export const sampleRun = async (withWords: boolean, erasedLater: ReadonlySet<string> = new Set()) => {
  const logged: ReadonlyArray<LoggedChat> = [
    ...['1', '2', '3', '4', '5'].map(chat),
    undelivered('6'),
    { chatId: '8', skipped: 'erased' },
  ]
  async function* chats() {
    yield* logged
  }
  const telling = { hash: wordHash(account), withWords }
  const deleteBy = withWords ? '2026-02-14' : undefined
  const lines: string[] = []
  const offsets = new Map([['bot-conversations', new Map([[0, { from: 0, to: 64 }]])]])
  const { cases, noise, ...found } = await runWhatIf(
    {
      ...telling,
      source: { chats: chats(), offsets, progress: () => ({ done: 64, total: 64 }), unreadable: () => 0 },
      candidate: botOf(newRules, 12),
      baseline: botOf(oldRules, 8),
      rules,
      erasures: { isErased: async () => false, among: async () => erasedLater },
      write: (chatId: string, compared: ReadonlyArray<Compared>) =>
        void lines.push(...compared.map((each) => lineOf(chatId, each, telling, deleteBy))),
      onChat: () => {},
      signal: new AbortController().signal,
    },
    {
      from: Date.parse('2026-01-31T00:00:00Z'),
      to: Date.parse('2026-02-01T00:00:00Z'),
      isExact: false,
      repeat: 1,
      chats: 1_000,
      accepted: new Set(),
      failOn: new Set(divergences),
    },
  )
  const report: Report = {
    account: 'acme',
    from: '2026-01-31T00:00:00.000Z',
    to: '2026-02-01T00:00:00.000Z',
    candidate: 'shop-bot.ts',
    baseline: 'shop-bot-before.ts',
    commit: '1234567890123456789012345678901234567890',
    notes: [],
    ...found,
    noise,
    offsets,
    unreadable: 0,
    ...(deleteBy !== undefined && { deleteBy }),
    madeAt: '2026-02-01T06:00:00.000Z',
  }
  const storyOf = (chatId: string) => `http://127.0.0.1:8081/console/accounts/acme/conversations/${chatId}`
  return { report, lines, junit: junitXml(report, cases), page: reportPage(report, { ...telling, storyOf }) }
}
