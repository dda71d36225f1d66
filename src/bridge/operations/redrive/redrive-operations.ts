import * as E from 'fp-ts/lib/Either.js'
import { now } from '../../domain/clock.ts'
import type { Failure } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { ofAccount, optionsOf } from '../audit.ts'
import { type Accounts, type Done, operation, type Resources, type Run, type Stop, stop } from '../operation.ts'
import { accountOption, anyText, limit, oneOf, perSecond, place, time } from '../options.ts'
import { pace, type Redriven } from './batches.ts'
import { type Filters, originTopics } from './dead-letters.ts'
import { findDeadLetters, findRequests } from './find.ts'
import { maxRedrives } from './guard.ts'
import { type Listed, listDeadLetters, listRequests } from './list.ts'
import { type RequestEvent, requeueQuarantined } from './requeue-quarantined.ts'
import { type LetterEvent, sendDeadLetters } from './send.ts'
import { findRecord, unmaskAction } from './show.ts'

type Reading = { readonly kafka: Pick<KafkaPorts, 'readTopic'> }

const account = accountOption('only those of this account')
const unowned = {
  about: 'only those of no account in the accounts file',
  conflicts: ['account'],
  isForAll: true,
} as const

const filters = {
  account,
  unowned,
  topic: {
    about: 'only those of this topic; the name is without the prefix',
    value: 'name',
    read: oneOf<string>(originTopics),
  },
  cause: { about: 'only those with this cause', value: 'word', read: anyText },
  consumer: { about: 'only those that this consumer could not process', value: 'name', read: anyText },
  since: {
    about: 'only those that failed then or later: 2026-01-31T23:59:59Z or 2026-01-31',
    value: 'time',
    read: time,
  },
  until: { about: 'only those that failed before then', value: 'time', read: time },
  id: {
    about: 'only this one, by partition/offset on dead-letters; may be repeated',
    value: 'id',
    read: place,
    many: 'repeated',
  },
} as const

/** The filters of records: those of no account are those that belong to none of the accounts file. */
export const filtersOf = <F extends object>(
  { accounts }: Accounts,
  { unowned, ...wanted }: F & { readonly unowned?: true },
): Omit<F, 'unowned'> & { readonly notOf?: ReadonlyArray<string> } => ({
  ...wanted,
  ...(unowned && { notOf: accounts.map(({ id }) => id) }),
})

export const redriveList = operation({
  name: 'redrive list',
  summary: 'print a table of the dead letters, or of quarantine',
  description:
    'Print a table of the dead letters: the original place, the consumer, the cause, the time, and whether it was redriven',
  options: {
    ...filters,
    limit: { ...limit, about: 'the maximum number of records; prints the newest' },
    quarantine: { about: 'list the requests in quarantine instead; the filters do not apply' },
  },
  json: 'print them as JSON',
  needs: { kafka: true, redrives: true, accounts: true },
  select: async (
    {
      kafka: { readTopic },
      redrives,
      accounts,
    }: Reading & Accounts & { readonly redrives: Pick<Redrives, 'find' | 'erasedAt'> },
    { limit, quarantine, ...wanted },
    { interruption },
  ) => {
    const ports = { readTopic, redrives }
    const extent = { limit, signal: interruption() }
    const found: E.Either<Failure, Listed> = quarantine
      ? E.map(listRequests)(await findRequests(ports, {}, extent))
      : E.map(listDeadLetters)(await findDeadLetters(ports, filtersOf({ accounts }, wanted), extent))
    return E.isLeft(found) ? stop('unavailable', `Kafka: ${found.left.reason}`) : found
  },
  act: async (_, listed) => E.right({ code: 0, result: listed }),
})

export const redriveShow = operation({
  name: 'redrive show',
  summary: 'print one dead letter with its personal data',
  description:
    'Print one dead letter with its headers, key and value: as text if the bytes are UTF-8, otherwise in hexadecimal digits. This prints everything in the record, including personal data, to your terminal.',
  options: {
    id: { about: 'partition/offset, as list prints it', value: 'id', read: place, isArgument: true, isRequired: true },
    quarantine: { about: 'print a request in quarantine instead' },
  },
  needs: { kafka: true, accounts: true },
  select: async ({ kafka: { readTopic }, accounts }: Reading & Accounts, { id, quarantine }) => {
    const which = { id, quarantine: quarantine === true }
    const found = await findRecord(readTopic, which)
    return E.isLeft(found) ? found : E.right({ record: found.right, which, accounts })
  },
  action: ({ record, which, accounts }) => unmaskAction(record, which, accounts),
  act: async (_, { record }) => E.right({ code: 0, result: record }),
})

const redriveAction = (name: string, filters: Pick<Filters, 'account'>) => ({
  action: 'redrive' as const,
  command: name,
  options: optionsOf(filters),
  ...ofAccount(filters.account),
})

/** The result of an operation that sends records. */
const doneBy = (redriven: Redriven, unwanted: number): E.Either<Stop, Done<Redriven>> =>
  E.right({ code: Number(redriven.trouble !== undefined || unwanted > 0), result: redriven })

const noneNamed =
  'Nothing was sent. Each record that fails again makes one more dead letter, so again together with force needs the IDs of the dead letters (--id).'

type Sending<K extends keyof KafkaPorts> = Accounts & {
  readonly kafka: Pick<KafkaPorts, 'readTopic' | K>
  readonly redrives: Redrives
}

export const redriveSend = operation({
  name: 'redrive send',
  summary: 'send dead letters back to their topics',
  description:
    'Send dead letters back to their topics, with the original key, value and headers. Those of one key keep their order. MongoDB remembers what was sent, so it is not sent again. If a consumer fails on a record again, it makes a new dead letter. Exit code 1 if a matching record was refused or could not be sent.',
  options: {
    ...filters,
    limit,
    perSecond,
    force: { about: `also send records that were redriven ${maxRedrives} times; together with --again only with --id` },
    again: { about: 'also send what was sent before' },
    overwrite: { about: 'also send a client or an enrichment that is older than the state in the view' },
  },
  role: 'operator',
  dryRun: { about: 'print what would be sent, and send nothing', acts: true },
  needs: { kafka: true, redrives: true, accounts: true },
  select: async (
    { accounts }: Sending<'redrive'>,
    { limit, perSecond, force = false, again = false, overwrite = false, ...wanted },
  ) =>
    again && force && wanted.id === undefined
      ? stop('refused', noneNamed)
      : E.right({
          filters: filtersOf({ accounts }, wanted),
          limit,
          perSecond,
          rules: { force, again, overwrite },
        }),
  action: ({ filters }) => redriveAction('redrive send', filters),
  act: async ({ kafka, redrives }, { perSecond, ...asked }, { isDry, say, interruption }: Run<LetterEvent, never>) => {
    const ports = { ...kafka, redrives, now, say, pace: pace(perSecond, monotonic, sleep) }
    const redriven = await sendDeadLetters(ports, { ...asked, dryRun: isDry }, interruption())
    return doneBy(redriven, redriven.tally.kept + redriven.tally.failed)
  },
})

export const redriveQuarantine = operation({
  name: 'redrive quarantine',
  summary: 'process the requests in quarantine that this version understands',
  description:
    'Publish the events of the requests in quarantine that this version understands, in their order. Each event is marked as late: its header ce_receivedtime is the time when the request arrived. A late event never replaces newer state in a view, and the bot kits do not answer it. MongoDB remembers which requests were processed, so they are not processed again. All other requests stay in quarantine.',
  options: {
    account: filters.account,
    unowned: filters.unowned,
    reason: { about: 'only those with this reason, as list --quarantine prints it', value: 'word', read: anyText },
    since: { ...filters.since, about: 'only those that arrived then or later: 2026-01-31T23:59:59Z or 2026-01-31' },
    until: { ...filters.until, about: 'only those that arrived before then' },
    id: { ...filters.id, about: 'only this one, by partition/offset on quarantine; may be repeated' },
    limit,
    perSecond,
  },
  role: 'operator',
  dryRun: { about: 'print what would be processed, and publish nothing', acts: true },
  needs: { kafka: true, redrives: true, accounts: true },
  select: async (
    { accounts }: Omit<Sending<'publish'>, 'accounts'> & Pick<Resources, 'accounts'>,
    { limit, perSecond, ...wanted },
  ) => E.right({ filters: filtersOf({ accounts }, wanted), limit, perSecond }),
  action: ({ filters }) => redriveAction('redrive quarantine', filters),
  act: async (
    { kafka, redrives, accounts },
    { perSecond, ...asked },
    { isDry, say, interruption }: Run<RequestEvent, never>,
  ) => {
    const ports = { ...kafka, redrives, accounts, now, say, pace: pace(perSecond, monotonic, sleep) }
    const redriven = await requeueQuarantined(ports, { ...asked, dryRun: isDry }, interruption())
    return doneBy(redriven, redriven.tally.failed)
  },
})
