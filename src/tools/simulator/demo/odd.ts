import { timelineId } from '../../../bridge/views/timeline.ts'
import type { OddCopy } from '../odd-forms.ts'
import type { LoggedEvent } from './log.ts'
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

/**
 * Act: what became of the odd copies of the events so far. Their bot chats are closed, so that nobody waits in them.
 */
export const playOddForms = async ({ stage, service, account, log }: Story) => {
  const copies = service.oddCopies()
  if (copies.length === 0) return
  stage.heading(
    'Events in an odd form',
    'Some events also came with one field that is not as expected: another value, left out, nested or repeated. The bridge accepts each. What it does not understand is in extra.',
  )
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
