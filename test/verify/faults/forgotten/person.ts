import { botReplies, calls, chats, deadLetters, enrichments, eventTopics } from '../../../../contracts/topics.ts'
import type { KafkaPorts } from '../../../../src/bridge/kafka/kafka.ts'
import { chatAccepted } from '../../../../src/tools/simulator/payloads.ts'
import { right } from '../../../support/either.ts'
import { eventually } from '../../../support/eventually.ts'
import { anEvent, at } from '../../../support/given-events.ts'
import type { Place } from '../../../support/world.ts'
import { canary, commandsOf, enrichmentsOf, eventsOf } from './canaries.ts'

export const person = { accountId: 'acme', chatId: '7001', clientId: '8001' } as const
const chatKey = `${person.accountId}/${person.chatId}`

type Kafka = Pick<KafkaPorts, 'publish' | 'append' | 'ranges'>
const withinMs = 30_000

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
    ({ status }) => status,
    () => 0,
  )
const countOf = async ({ ranges }: Kafka, topic: Parameters<KafkaPorts['ranges']>[0]) =>
  [...(await ranges(topic)).values()].reduce((sum, { low, high }) => sum + high - low, 0)

/** Writes every kind of data about one person into every store that may contain some. Returns how many pieces. */
export const tellAll = async (kafka: Kafka, place: Place): Promise<number> => {
  const append = async (topic: 'chats' | 'calls' | 'bot-replies' | 'enrichments', key: string, value: string) =>
    right(await kafka.append({ topic, key, value, headers: {} }, withinMs))
  const events = eventsOf(person)
  for (const event of events) right(await kafka.publish(event, withinMs))
  const commands = commandsOf(person)
  for (const command of commands) await append(botReplies.name, chatKey, JSON.stringify(command))

  const email = canary('the address that an enrichment has as its key')
  const last = anEvent('ClientUpdated', 'canary-last', new Date().toISOString(), {
    clientId: person.clientId,
    visitor: { number: '7', chatsCount: 1, email },
  })
  right(await kafka.publish({ ...last, subject: person.clientId } as typeof last, withinMs))
  const own = enrichmentsOf()
  for (const [i, value] of own.entries())
    await append(
      enrichments.name,
      i === 0 ? `acme/email:${email}` : `acme/clientId:${person.clientId}`,
      JSON.stringify(value),
    )

  await append(chats.name, chatKey, `not JSON: ${canary('a record of chats that is not JSON')}`)
  await append(
    calls.name,
    chatKey,
    JSON.stringify({ chatId: person.chatId, note: canary('a record of calls that is no event') }),
  )
  await eventually('the dead letters', async () => (await countOf(kafka, deadLetters.name)) >= 2)

  const webhook = (more: object) => JSON.stringify(chatAccepted({ chat_id: Number(person.chatId), ...more }))
  const unknown = webhook({ event_name: 'unheard_of', note: canary('a webhook that nobody knows') })
  const wrong = webhook({ chat_id: [canary('a webhook that names no chat')] })
  const [answered, refused] = [await post(place.webhooks, unknown), await post(place.webhooks, wrong)]
  if (answered !== 200 || refused !== 400) throw new Error(`quarantine: answered ${answered} and ${refused}`)
  return events.length + commands.length + own.length + 5
}

/** A webhook that only the journal can take. */
export const tellJournal = (place: Place): Promise<unknown> => {
  const { visitor } = chatAccepted()
  const told = { ...visitor, name: canary('a webhook while the broker is away') }
  const body = JSON.stringify(chatAccepted({ chat_id: Number(person.chatId), visitor: told }))
  return eventually('the journal to take it', async () => (await post(place.webhooks, body)) === 200)
}

const others = ['ChatAccepted', 'CallStatusChanged', 'ClientUpdated', 'OfflineMessageReceived', 'AgentJoined'] as const
let said = 0

/** Writes data of another person into each partition, so that segments roll. */
export const tellOfOthers = async (kafka: Kafka): Promise<void> => {
  const ids = { chatId: '1', clientId: '1', visitor: { number: 'somebody else', chatsCount: 1 } }
  for (const type of others) {
    const event = anEvent(type, `noise-${said++}`, at('10:00:00'), ids)
    right(await kafka.publish({ ...event, subject: '1' } as typeof event, withinMs))
  }
  const value = JSON.stringify({ enableAssign: true })
  right(await kafka.append({ topic: enrichments.name, key: 'acme/clientId:1', value, headers: {} }, withinMs))
}

/** Whether these groups have read all event topics to their end, and the group of `enrichments` its topic. */
export const isTakenIn = async (
  kafka: Pick<KafkaPorts, 'ranges' | 'committedOffsets'>,
  groups: ReadonlyArray<string>,
) => {
  const readers = eventTopics.flatMap(({ name }) => groups.map((group) => [name, group] as const))
  for (const [name, group] of [...readers, [enrichments.name, 'enrichments'] as const]) {
    const [ranges, done] = [await kafka.ranges(name), await kafka.committedOffsets(group, name)]
    if ([...ranges].some(([partition, { high }]) => (done.get(partition) ?? 0) < high)) return false
  }
  return true
}
