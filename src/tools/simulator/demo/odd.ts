import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { enrichmentKey } from '../../../../contracts/commands/enrichment.ts'
import type { Id } from '../../../../contracts/primitives.ts'
import { timelineId } from '../../../bridge/views/timeline.ts'
import { beyondDoubles, type OddCopy } from '../odd-forms.ts'
import { callEvent, chatAccepted, chatRated } from '../payloads.ts'
import type { LoggedEvent } from './log.ts'
import { agentSees, clientWrites } from './steps.ts'
import type { Story } from './story.ts'

const isOk = ({ answer }: OddCopy) => answer?.kind === 'answered' && answer.status === 200

const sourceOf = ({ headers }: LoggedEvent) => String(headers.ce_source)

const subjectOf = ({ data: { chatId, clientId } }: LoggedEvent) => String(chatId ?? clientId)

const entryOf = (event: LoggedEvent) => {
  const { accountId, chatId, clientId } = event.data
  const whose = chatId === undefined ? { clientId: String(clientId) } : { chatId: String(chatId) }
  return timelineId({ id: event.id, source: sourceOf(event), data: { accountId: String(accountId), ...whose } })
}

/** A bot's event keeps its id. The webhooks of an odd chat or client are its copies and nothing else. */
const isOf =
  ({ api, id, subject }: OddCopy) =>
  (event: LoggedEvent) =>
    sourceOf(event).endsWith(`/${api}`) && subjectOf(event) === subject && (id === undefined || event.id === id)

/** An agent accepts a chat to which a team has written a note with parts that do not fit. */
const oddNote = async (story: Story) => {
  const chatId = String(story.newChatId())
  await story.produceNote({
    key: enrichmentKey(story.account.id, 'chatId', chatId),
    value: {
      customData: [
        { title: 'Invoice', content: '17', key: 'invoice', link: 'https://shop.example.com/invoices/17' },
        { content: 'An item without a title' },
        { content: 'An item whose link is none', link: 'javascript:alert(1)' },
        { title: 'An item without content' },
      ],
      contactInfo: { name: null, description: 'A customer since 2019' },
      crmLink: null,
      surprise: true,
    },
  })
  await agentSees(
    story,
    chatId,
    'enrichment · the agent sees its link, its key and an item without a title; what does not fit is left out',
    ['"link":"https://shop.example.com/invoices/17"', '"key":"invoice"', '"content":"An item without a title"'],
    ['javascript:', 'An item without content'],
  )
}

/** A status comes after the end of its call. */
const lateStatus = async ({ stage, service, account, newChatId }: Story) => {
  const chat_id = newChatId()
  await stage.step('call_event · a status after the end does not make the call live again', async (assertions) => {
    for (const status of ['start', 'end', 'answered']) {
      const call = { type: 'incoming', phone: '+14085550123', status }
      assertions.answered(status, await service.webhook(account.id, callEvent({ chat_id, call })))
    }
    await assertions.view(
      'calls',
      `${account.id}/${chat_id}`,
      ({ state, history }) => state === 'end' && history.length === 3,
      ({ state, history }) => `state ${state}, ${history.length} statuses in its history`,
    )
  })
}

/** The end of a chat overtakes its acceptance, in which the agent has no id. */
const overtaken = async ({ stage, service, account, newChatId }: Story) => {
  const chat_id = newChatId()
  await stage.step('chat_finished · comes before chat_accepted, and the chat is over', async (assertions) => {
    const agent = { ...chatAccepted().agent, id: beyondDoubles }
    assertions.answered('the end', await service.webhook(account.id, chatRated(chat_id, 'good')))
    assertions.answered('the acceptance', await service.webhook(account.id, chatAccepted({ chat_id, agent })))
    await assertions.view(
      'chats',
      `${account.id}/${chat_id}`,
      ({ state, acceptedAt, agents }) =>
        state === 'finished' && acceptedAt !== undefined && agents.every(({ id }) => id !== '1e400'),
      ({ state, agents }) => `state ${state}, agents ${agents.map(({ id, name }) => id ?? name).join(', ')}`,
    )
  })
}

/** What a model writes, and each optional field null. */
const oddMessages: ReadonlyArray<readonly [string, Extract<BotReply, { type: 'BotMessage' }>['message'], string]> = [
  [
    'Markdown of a model, as its plain text',
    {
      type: 'MARKDOWN',
      content: '# Opening hours\n\n- **Monday**: 9 to 20\n- [Sunday](javascript:alert(1)): closed\n\n`code`',
      text: null,
      timestamp: null,
    },
    'Monday',
  ],
  [
    'buttons whose forceReply is null',
    {
      type: 'BUTTONS',
      title: 'Anything else?',
      text: null,
      buttons: [{ id: '1' as Id, text: 'No' }],
      forceReply: null,
    },
    'Anything else?',
  ],
]

const oddReplies = async (story: Story) => {
  const { stage, service, account, produceReply } = story
  const chatId = String(story.newChatId())
  await clientWrites(story, chatId, 'Hello')
  for (const [place, [title, message, words]] of oddMessages.entries())
    await stage.step(`BOT_MESSAGE · ${title}`, async (assertions) => {
      const id = `odd-reply-${place}` as Id
      const { id: accountId } = account
      const chat = { accountId, chatId: chatId as Id, clientId: chatId as Id }
      await produceReply({ type: 'BotMessage', id, ...chat, inReplyTo: null, group: null, expectsMore: null, message })
      const shown = () =>
        service.chat(chatId, accountId)?.delivered.find((each) => each.message.text.includes(words))?.message.text
      await assertions.service(service.waitFor, 'the reply', () => shown()?.replaceAll(/\s+/g, ' '))
      await assertions.view(
        'deliveries',
        `${accountId}/${chatId}/${id}`,
        ({ state }) => state === 'delivered',
        ({ state, renderedAs }) => `${state}${renderedAs ? ` as ${renderedAs}` : ''}`,
      )
    })
  await service.closeChat(chatId, { accountId: account.id })
}

/** What was seen of services, teams and models, and is odd in a way of its own. */
const knownOddities = [oddNote, lateStatus, overtaken, oddReplies]

/**
 * Act: what became of the odd copies of the events so far. Their bot chats are closed, so that nobody waits in them.
 */
export const playOddForms = async (story: Story) => {
  const { stage, service, account, log } = story
  if (service.oddCopies().length === 0) return
  stage.heading(
    'Events in an odd form',
    'Some events also came with one field that is not as expected: another value, left out, nested or repeated. The bridge accepts each. What it does not understand is in extra.',
  )
  for (const play of knownOddities) await play(story)
  const copies = service.oddCopies()
  const chats = new Set(copies.filter(({ api }) => api === 'bot').map(({ subject }) => subject))
  for (const chatId of chats) await service.closeChat(chatId, { accountId: account.id })
  await stage.step(`odd forms · ${copies.length} events also came with an odd field`, async (assertions) => {
    const refused = copies.filter((copy) => !isOk(copy))
    assertions.fact(
      'answer',
      refused.length === 0,
      refused.length === 0
        ? `all ${copies.length} → 200`
        : `refused: ${refused.map(({ name, path }) => `${name} ${path.join('.')}`).join(', ')}`,
    )
    const eventsOf = (copy: OddCopy) => log.filter(isOf(copy))
    const copiesOf = (copy: OddCopy) =>
      copy.id === undefined ? copies.filter(({ api, subject }) => api === copy.api && subject === copy.subject) : [copy]
    await assertions.all('Kafka', 'events', copies, (copy) => eventsOf(copy).length >= copiesOf(copy).length)
    const events = new Set(copies.flatMap(eventsOf))
    await assertions.all('view', 'entries of the timeline', [...events], async (event) =>
      assertions.exists('timeline', entryOf(event)),
    )
  })
}
