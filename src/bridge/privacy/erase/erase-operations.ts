import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Ticket } from '../../../../contracts/primitives.ts'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { disagreement } from '../../domain/agreed-time.ts'
import { alsoText, type Identity } from '../../domain/person/ids.ts'
import type { Part } from '../../domain/person/parts.ts'
import type { Likely } from '../../domain/person/person.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Erasures } from '../../mongo/erasures.ts'
import { actionOn } from '../../operations/audit.ts'
import {
  type Accounts,
  type Done,
  operation,
  type Resources,
  type Run,
  type Stop,
  stop,
} from '../../operations/operation.ts'
import { anyText, days, type ReadOption } from '../../operations/options.ts'
import { monotonic, sleep } from '../../shared/time.ts'
import { personOptions, requestOf, whoIsMeant, whoIsNot, whoseIsIt } from '../person-options.ts'
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

const ticket: ReadOption<Ticket> = (text) => {
  const read = Ticket.decode(text)
  return E.isRight(read)
    ? read
    : E.left('the number of a ticket: letters, digits and . _ / # : -, at most 64, with a digit')
}

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
} & (
  | { readonly plan: Plan }
  | { readonly unfinished: ReadonlyArray<ErasureDocument> }
  /** Nothing is stored about the person. These may be the same person. */
  | { readonly likely: ReadonlyArray<Likely> }
)

/** `wasInterrupted`: an earlier erasure is finished now. */
export type Erased = { readonly receipts: ReadonlyArray<ErasureDocument>; readonly wasInterrupted: boolean }

/**
 * What `erase` says. `not-current`: the views may lack chats of the person. `nobody`: nothing is stored about the
 * person, and these may be the same person.
 */
export type EraseEvent =
  | { readonly kind: 'not-current' }
  | { readonly kind: 'nobody'; readonly start: Identity; readonly likely: ReadonlyArray<Likely> }
  | { readonly kind: 'planned'; readonly start: Identity; readonly plan: Plan }

/** The receipts, with a file of each. */
const erased = (
  receipts: ReadonlyArray<ErasureDocument>,
  pathOf: Erasing['pathOf'],
  wasInterrupted: boolean,
): E.Either<Stop, Done<Erased>> => {
  const files = receipts.map((receipt) => ({
    path: pathOf(receipt._id),
    text: `${JSON.stringify(receipt, null, 2)}\n`,
  }))
  return E.right({ code: 0, files, result: { receipts, wasInterrupted } })
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
  confirm: (erasing: Erasing) => 'plan' in erasing,
  needs: { accounts: true, kafka: true, erasures: true, retentionDays: true, dataFolder: true },
  select: async (
    ports: Ports,
    { by, ticket: number, backupDays, receipt, ...person },
    { isDry, say, who, withinMs }: Run<EraseEvent, never>,
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
      say({ kind: 'not-current' })
    }
    const unfinished = isDry ? [] : await unfinishedErasures(ports, request)
    if (unfinished.length > 0) return E.right({ ...asked, unfinished })
    const plan = await planNow(ports, request)
    const whose = whoseIsIt(plan.person)
    if (whose !== undefined) return stop('refused', whose)
    if (!isOfNobody(plan)) return E.right({ ...asked, plan })
    return E.right({ ...asked, likely: plan.person.likely })
  },
  show: (erasing): ReadonlyArray<EraseEvent> => {
    const { start } = erasing.request
    if ('likely' in erasing) return [{ kind: 'nobody', start, likely: erasing.likely }]
    return 'plan' in erasing ? [{ kind: 'planned', start, plan: erasing.plan }] : []
  },
  action: (erasing) =>
    'likely' in erasing ? undefined : actionOn('erase', erasing.request, { ticket: erasing.ticket }),
  act: async ({ kafka, erasures, retentionDays }, erasing) => {
    const { request, requestedBy, ticket, requestedAt, backupDays, pathOf } = erasing
    const ports = { kafka, erasures, clock }
    const retention = { retentionDays, ...(backupDays !== undefined && { backupDays }) }
    if ('likely' in erasing) return erased([], pathOf, false)
    if ('unfinished' in erasing) {
      const receipts = await finishInterrupted(ports, request, erasing.unfinished, { retention, requestedAt })
      return erased(receipts, pathOf, true)
    }
    const receipt = await eraseNow(ports, request, erasing.plan, { requestedBy, ticket, retention, requestedAt })
    return erased([receipt], pathOf, false)
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
    const isComplete = checked.every(({ state }) => state === 'complete')
    return E.right({ code: isComplete ? 0 : 1, result: checked })
  },
})
