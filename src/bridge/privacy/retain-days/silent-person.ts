import { eventTopicNames } from '../../../../contracts/topics.ts'
import type { Identity } from '../../domain/person/ids.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import type { Parts, RecordPlace, SilentPersons } from '../../mongo/silent-persons.ts'
import { type Plan, planOf, type Request } from '../erase/plan.ts'

/** By topic and partition, the first offset whose record the broker has received at a time or later. */
export type AppendedSince = ReadonlyMap<string, ReadonlyMap<number, number>>

export const appendedSinceIn =
  ({ offsetsAt }: Pick<KafkaPorts, 'offsetsAt'>) =>
  async (time: number): Promise<AppendedSince> =>
    new Map(await Promise.all(eventTopicNames.map(async (name) => [name, await offsetsAt(name, time)] as const)))

/** Persons count as silent who have had no event since `before`, by the bridge's clock. */
export type Silence = { readonly before: Date; readonly appended: AppendedSince }

/** Whether the broker received one of these records at that time or later, so that its clock disputes the silence. */
export const isDisputed = (newest: ReadonlyArray<RecordPlace>, appended: AppendedSince): boolean =>
  newest.some(
    ({ topic, partition, offset }) => offset >= (appended.get(topic)?.get(partition) ?? Number.POSITIVE_INFINITY),
  )

export type Silent = {
  readonly request: Request
  readonly plan: Plan
  /** The time of the person's newest event. */
  readonly last: Date
  readonly isDisputed: boolean
}

const partsOf = ({ kind, value }: Identity): Parts =>
  kind === 'chat' ? { chats: [value], clients: [] } : { chats: [], clients: [value] }

type Named = { readonly chatId?: string | undefined; readonly clientId?: string | undefined }

/** The chat, or else the client. */
export const chatOrClientOf = ({ chatId, clientId }: Named): Identity | undefined => {
  if (chatId !== undefined) return { kind: 'chat', value: chatId }
  return clientId === undefined ? undefined : { kind: 'client', value: clientId }
}

/** The person who has this chat or client, if the person is silent. */
export const silentPerson = async (
  { erasures, silentPersons }: { readonly erasures: Erasures; readonly silentPersons: SilentPersons },
  accountId: string,
  start: Identity,
  { before, appended }: Silence,
): Promise<Silent | undefined> => {
  const isSilent = (last: Date | undefined): last is Date => last !== undefined && last < before
  // For most active persons this one query is enough.
  if (!isSilent(await silentPersons.lastEventAt(accountId, partsOf(start)))) return undefined
  const plan = await planOf(erasures, { accountId, start, also: [] })
  const last = await silentPersons.lastEventAt(accountId, plan.person)
  const first = chatOrClientOf({ chatId: plan.person.chats[0], clientId: plan.person.clients[0] })
  if (!isSilent(last) || first === undefined) return undefined
  const newest = await silentPersons.lastPlaces(accountId, plan.person)
  return { request: { accountId, start: first, also: [] }, plan, last, isDisputed: isDisputed(newest, appended) }
}
