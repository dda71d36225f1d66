import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Ticket } from '../../../../contracts/primitives.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { disagreement } from '../../domain/agreed-time.ts'
import { alsoText, identityName, isPhoneAlike } from '../../domain/person/ids.ts'
import { likelyOthers, type Part } from '../../domain/person/parts.ts'
import type { Likely, Person } from '../../domain/person/person.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { actionOn } from '../../operations/audit.ts'
import { type Accounts, operation, type Resources, type Stop, stop } from '../../operations/operation.ts'
import { anyText, days, type ReadOption } from '../../operations/options.ts'
import { table } from '../../shared/table.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { personOptions, requestOf, whoIsMeant, whoIsNot, whoseIsIt } from '../person-options.ts'
import { type Remaining, receiptWords } from '../receipt-words.ts'
import { notCurrent, unreadEnrichments, viewsReachEnd } from '../views-current.ts'
import { erase as eraseNow, finishInterrupted, unfinishedErasures } from './erase.ts'
import { contradictsItself, isOfNobody, type Plan, planOf, type Request, withoutKeys } from './plan.ts'
import { check, deadLetterMalformed } from './status.ts'

const clock = () => new Date()

/**
 * Readers keep what the bridge has received after the request. With a wrong clock they would keep the person's data
 * from before it, or remove what came after it.
 */
const wrongClock = (requestedAt: Date, ofMongo: number): string | undefined => {
  const apart = disagreement(requestedAt.getTime(), ofMongo)
  return apart && `Nothing was erased: ${apart}. Set the clock, because the time of the request decides what is erased.`
}

const rowsOf = (counts: Readonly<Record<string, number>>) =>
  table(Object.entries(counts).map(([name, count]) => [`  ${name}`, String(count)]))

/** The id by which `--also` includes this other person. It leads to the others. */
export const alsoOf = ({ leadsTo }: Likely): string => {
  const id =
    leadsTo.find(({ kind }) => kind === 'client') ?? leadsTo.find(({ kind }) => kind === 'visitor') ?? leadsTo[0]
  return id === undefined ? '' : alsoText(id)
}

/** The ids by which `--except` leaves a part out. */
export const exceptOf = ({ clients, chats }: Omit<Part, 'through'>): ReadonlyArray<string> =>
  clients.length > 0
    ? clients.map((value) => alsoText({ kind: 'client', value }))
    : chats.map((value) => alsoText({ kind: 'chat', value }))

const partLine = (part: Part) => {
  const ids = exceptOf(part)
  const who = part.clients.length > 0 ? `client ${part.clients.join(', ')}` : 'no client'
  return `Joined by ${part.via.map(identityName).join(', ')}: ${part.chats.length} chats of ${who}. If it is another person: --except ${ids.join(' ')}`
}

/** What leaves out all those who are likely other persons. */
const othersLines = (parts: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const others = likelyOthers(parts)
  const ids = parts.flatMap((part, i) => (others.has(i) ? exceptOf(part) : []))
  return ids.length === 0
    ? []
    : [
        `Likely other persons, INCLUDED: only a visitor number leads to them, and they have another email address. Leave them out with --except ${ids.join(' ')}`,
      ]
}

const ticket: ReadOption<Ticket> = (text) => {
  const read = Ticket.decode(text)
  return E.isRight(read)
    ? read
    : E.left('the number of a ticket: letters, digits and . _ / # : -, at most 64, with a digit')
}

/** Others who may be the same person, and how each is included. */
export const likelyLines = (
  { start }: Pick<Request, 'start'>,
  { likely }: Pick<Person, 'likely'>,
): ReadonlyArray<string> =>
  likely.map((each) => {
    const same = each.via.map((it) => (isPhoneAlike(start, it) ? 'phone apart from the country code' : it.kind))
    return `Likely the same person, not included: ${each.leadsTo.map(identityName).join(', ')} (same ${[...new Set(same)].join(', ')}; include with --also ${alsoOf(each)}).`
  })

const planLines = (request: Request, { person, found, unnamed }: Plan): ReadonlyArray<string> => [
  ...unnamed.map(
    (it) =>
      `No document names ${identityName(it)}: check the id. Only records of it in Kafka and the archive would be erased.`,
  ),
  `Chats: ${person.chats.join(', ') || 'none'}. Clients: ${person.clients.join(', ') || 'none'}.`,
  'Documents:',
  ...rowsOf(found),
  ...person.parts.filter(({ via }) => via.length > 0).map(partLine),
  ...othersLines(person.parts),
  ...likelyLines(request, person),
]

const rowsUnder = (title: string, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [title, ...table(rows.map(([first, ...others]) => [`  ${first}`, ...others]))]

/** A day stays as it is, so that it can be searched and sorted. */
const wordsOf = (receipt: ErasureDocument): ReadonlyArray<string> => {
  const { verdict, mustAct, byItself, newer, inWords } = receiptWords(receipt, (day) => day)
  return [
    verdict,
    ...rowsUnder('Somebody must act on:', mustAct.map(cells)),
    ...rowsUnder('Newer than the erasure:', newer.map(cells)),
    ...rowsUnder(
      'Goes by itself:',
      byItself.map(({ what, until }) => [what, until]),
    ),
    ...rowsUnder(
      'In the words of an earlier version:',
      inWords.map(({ where, until }) => [where, until]),
    ),
  ]
}

const cells = ({ what, until, who }: Remaining) => [what, until, who]

export const receiptLines = (receipt: ErasureDocument): ReadonlyArray<string> => [
  `Erasure ${receipt._id} of ${receipt.accountId}: ${receipt.state}, requested by ${receipt.requestedBy}${receipt.ticket === undefined ? '' : ` (ticket ${receipt.ticket})`} at ${receipt.requestedAt.toISOString()}.`,
  ...(receipt.state === 'complete' ? [`Complete since ${receipt.completedAt?.toISOString()}.`] : []),
  ...(receipt.confirmedBy === undefined
    ? []
    : [`Confirmed by: ${receipt.confirmedBy.join(', ') || 'no consumer group'}.`]),
  ...wordsOf(receipt),
]

type Ports = Accounts &
  Pick<Resources, 'retentionDays'> & {
    /** Where the file of the receipt is written. The console writes none. */
    readonly dataFolder?: string
    readonly kafka: Pick<KafkaPorts, 'append' | 'publish' | 'readTopic' | 'ranges' | 'committedOffsets'>
    readonly erasures: Erasures
  }

/** The plan by the views, and by the enrichments that no consumer has read yet. */
const planNow = async ({ kafka, erasures }: Pick<Ports, 'kafka' | 'erasures'>, request: Request): Promise<Plan> => {
  const plan = await planOf(erasures, request)
  const unread = await unreadEnrichments(kafka, request.accountId, plan.person)
  const keys = [...new Set([...plan.enrichments, ...unread])]
  return {
    ...plan,
    enrichments: keys,
    found: { ...plan.found, ...(keys.length > 0 && { enrichments: keys.length }) },
    unnamed: withoutKeys(request.accountId, plan.unnamed, keys),
  }
}

/** What is erased: by a new plan, or what earlier requests of the same person have begun. */
export type Erasing = {
  readonly request: Request
  readonly requestedBy: string
  readonly ticket: Ticket | undefined
  readonly requestedAt: Date
  readonly backupDays: number | undefined
  /** Where the receipt is written, by the id of the erasure. */
  readonly pathOf: (id: string) => string
} & ({ readonly plan: Plan } | { readonly unfinished: ReadonlyArray<ErasureDocument> })

const finished = 'An erasure that was interrupted is finished now.'

/** The lines about the receipts, and their files. */
const written = (receipts: ReadonlyArray<ErasureDocument>, pathOf: Erasing['pathOf'], ...before: string[]) => {
  const files = receipts.map((receipt) => ({
    path: pathOf(receipt._id),
    text: `${JSON.stringify(receipt, null, 2)}\n`,
    lines: [`The receipt is in ${pathOf(receipt._id)} too.`],
  }))
  const lines = receipts.flatMap((receipt) => [
    ...before,
    ...receiptLines(receipt),
    `The receipt is in the collection erasures. \`erase status ${receipt._id}\` checks what is left.`,
  ])
  return { code: 0, files, lines, result: receipts }
}

/** Removes all personal data of one person from the log, the views and the archive. */
export const erase = operation({
  name: 'erase',
  summary:
    'erase one person: show what is stored, ask for confirmation, write markers that every reader obeys, and a receipt',
  description:
    'Erase one person: find the chats and clients that are certainly the same person, show what is stored about them, ask for confirmation, and write ClientErased and ChatErased under their keys. It waits until the views have everything that the topics have, and refuses if they do not. Projector, archiver and consumers erase their data when they read these events. Enrichments of the person are removed. After an interruption, the same command plans again and finishes the erasure.',
  options: {
    ...personOptions,
    by: {
      about: 'who requested it, for the receipt (default: the user of this process)',
      value: 'name',
      read: anyText,
    },
    ticket: {
      about: 'the number of the request in your ticket system, for the receipt and the audit log; no personal data',
      value: 'number',
      read: ticket,
    },
    backupDays: { about: 'how long backups are kept, for the receipt', value: 'days', read: days(99_999) },
    receipt: {
      about: 'where the receipt is written (default: erasure-<id>.json in DATA_DIR)',
      value: 'file',
      read: anyText,
    },
  },
  dryRun: { about: 'only show what is stored, and about whom' },
  confirm: {
    question: (erasing: Erasing) => ('plan' in erasing ? 'Erase all of this for good?' : undefined),
    declined: 'Nothing was erased. Answer yes, or use --yes.',
  },
  needs: { accounts: true, kafka: true, erasures: true, retentionDays: true, dataFolder: true },
  select: async (
    ports: Ports,
    { by, ticket: number, backupDays, receipt, ...person },
    { isDry, warn, who, withinMs },
  ): Promise<E.Either<Stop, Erasing>> => {
    const request = requestOf(person)
    if (request === undefined) return stop('refused', whoIsMeant)
    if (contradictsItself(request)) return stop('refused', whoIsNot)
    const requestedAt = clock()
    const wrong = wrongClock(requestedAt, await ports.erasures.serverTime())
    if (wrong !== undefined && !isDry) return stop('unavailable', wrong)
    const pathOf = (id: string) => receipt ?? join(ports.dataFolder ?? '', `erasure-${id}.json`)
    const asked = { request, requestedBy: by ?? who, ticket: number, requestedAt, backupDays, pathOf }
    if (!(await viewsReachEnd(ports.kafka, { withinMs, clock: monotonic, sleep }))) {
      if (!isDry) return stop('unavailable', `Nothing was erased. ${notCurrent}`)
      warn(notCurrent)
    }
    const unfinished = isDry ? [] : await unfinishedErasures(ports, request)
    if (unfinished.length > 0) return E.right({ ...asked, unfinished })
    const plan = await planNow(ports, request)
    const whose = whoseIsIt(plan.person)
    if (whose !== undefined) return stop('refused', whose)
    if (!isOfNobody(plan)) return E.right({ ...asked, plan })
    return stop('nothing', ['The views have nothing of this person.', ...likelyLines(request, plan.person)].join('\n'))
  },
  show: (erasing) => ('plan' in erasing ? planLines(erasing.request, erasing.plan) : []),
  action: ({ request, ticket }) => actionOn('erase', request, { ticket }),
  act: async ({ kafka, erasures, retentionDays }, erasing) => {
    const { request, requestedBy, ticket, requestedAt, backupDays, pathOf } = erasing
    const ports = { kafka, erasures, clock }
    const retention = { retentionDays, ...(backupDays !== undefined && { backupDays }) }
    if ('unfinished' in erasing)
      return written(
        await finishInterrupted(ports, request, erasing.unfinished, { retention, requestedAt }),
        pathOf,
        finished,
      )
    return written(
      [await eraseNow(ports, request, erasing.plan, { requestedBy, ticket, retention, requestedAt })],
      pathOf,
    )
  },
})

/** Checks what is left of the persons that were erased. */
export const eraseStatus = operation({
  name: 'erase status',
  summary: 'check what is left of what was erased',
  description:
    'Check views, enrichments and topics for what is left, and store the result in the receipt. Exit code 1 if something may be left.',
  options: {
    id: {
      about: 'the erasure, as its receipt names it (default: all of them)',
      value: 'id',
      read: anyText,
      isArgument: true,
    },
  },
  json: 'print the receipts as JSON',
  needs: { kafka: true, erasures: true },
  select: async (
    {
      erasures,
    }: {
      readonly kafka: Pick<KafkaPorts, 'readTopic' | 'ranges' | 'committedOffsets' | 'deadLetter'>
      readonly erasures: Erasures
    },
    { id },
  ) => {
    const receipts = await erasures.find(id === undefined ? {} : { _id: id })
    return receipts.length > 0
      ? E.right(receipts)
      : stop('absent', id === undefined ? 'There are no erasures.' : `There is no erasure ${id}.`)
  },
  act: async ({ kafka, erasures }, receipts) => {
    await deadLetterMalformed(kafka)
    const checked: ErasureDocument[] = []
    for (const receipt of receipts) checked.push(await check({ kafka, erasures, clock }, receipt))
    return {
      code: checked.every(({ state }) => state === 'complete') ? 0 : 1,
      lines: checked.flatMap(receiptLines),
      result: checked,
    }
  },
})
