import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { type Identity, identityName, isPhoneAlike } from '../../bridge/domain/person/ids.ts'
import { likelyOthers, type Part } from '../../bridge/domain/person/parts.ts'
import type { Likely } from '../../bridge/domain/person/person.ts'
import { alsoOf, type Erased, type EraseEvent, exceptOf } from '../../bridge/privacy/erase/erase-operations.ts'
import type { Exported } from '../../bridge/privacy/export.ts'
import { type Remaining, receiptWords } from '../../bridge/privacy/receipt-words.ts'
import type { Released, WaitingEvent } from '../../bridge/privacy/retain-days/release.ts'
import { notCurrent } from '../../bridge/privacy/views-current.ts'
import { table } from '../../bridge/shared/table.ts'
import { printableLines } from '../../bridge/shared/text.ts'
import type { Words } from './words.ts'

const rowsOf = (counts: Readonly<Record<string, number>>) =>
  table(Object.entries(counts).map(([name, count]) => [`  ${name}`, String(count)]))

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

/** Others who may be the same person, and how each is included. */
const likelyLines = (start: Identity, likely: ReadonlyArray<Likely>): ReadonlyArray<string> =>
  likely.map((each) => {
    const same = each.via.map((it) => (isPhoneAlike(start, it) ? 'phone apart from the country code' : it.kind))
    return `Likely the same person, not included: ${each.leadsTo.map(identityName).join(', ')} (same ${[...new Set(same)].join(', ')}; include with --also ${alsoOf(each)}).`
  })

const planLines = ({
  start,
  plan: { person, found, unnamed },
}: Extract<EraseEvent, { kind: 'planned' }>): ReadonlyArray<string> => [
  ...unnamed.map(
    (it) =>
      `No document names ${identityName(it)}: check the id. Only records of it in Kafka and the archive would be erased.`,
  ),
  `Chats: ${person.chats.join(', ') || 'none'}. Clients: ${person.clients.join(', ') || 'none'}.`,
  'Documents:',
  ...rowsOf(found),
  ...person.parts.filter(({ via }) => via.length > 0).map(partLine),
  ...othersLines(person.parts),
  ...likelyLines(start, person.likely),
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

export const eraseWords: Words<EraseEvent, Erased> = {
  event: (event) => {
    switch (event.kind) {
      case 'not-current':
        return [{ err: notCurrent }]
      case 'nobody':
        return ['The views have nothing of this person.', ...likelyLines(event.start, event.likely)]
      case 'planned':
        return planLines(event)
    }
  },
  confirm: { question: 'Erase all of this for good?', declined: 'Nothing was erased. Answer yes, or use --yes.' },
  result: ({ receipts, wasInterrupted }) =>
    receipts.flatMap((receipt) => [
      ...(wasInterrupted ? ['An erasure that was interrupted is finished now.'] : []),
      ...receiptLines(receipt),
      `The receipt is in the collection erasures. \`erase status ${receipt._id}\` checks what is left.`,
    ]),
  written: (path) => [`The receipt is in ${path} too.`],
}

export const eraseStatusWords: Words<never, ReadonlyArray<ErasureDocument>> = {
  result: (receipts) => receipts.flatMap(receiptLines),
}

export const eraseReleaseWords: Words<WaitingEvent, Released> = {
  event: ({ account, persons, limit, before, since }) => [
    `${account}: ${persons} persons have had no event since before ${before.toISOString()}, and wait since ${since.toISOString()}. Without you at most ${limit} are erased in a day, and nobody whose records the broker has received since.`,
  ],
  confirm: { question: 'Erase all of them for good?', declined: 'Nothing was released. Answer yes, or use --yes.' },
  result: ({ isReleased }) => [
    isReleased
      ? 'Released: the archiver erases them within minutes, each with a receipt.'
      : 'Check the clocks and `privacy.retainDays`. To erase them: livechat-bridge erase release --account <id>',
  ],
}

const named: Readonly<Record<Identity['kind'], string>> = {
  client: 'client id',
  visitor: 'visitor number',
  chat: 'chat id',
  email: 'email address',
  phone: 'phone number',
  userToken: 'userToken',
}

const exportedLines = (path: string, { everything }: Exported): ReadonlyArray<string> => {
  const { documents, enrichments, likely } = everything
  const counts = Object.entries(documents).map(([view, { length }]) => [`  ${view}`, String(length)])
  return [
    `${path} has everything that is stored about this person, and only you can read the file. Documents:`,
    ...table([...counts, ...(enrichments.length > 0 ? [['  enrichments', String(enrichments.length)]] : [])]),
    ...(likely.length > 0
      ? [`Look at "likely" in the file: ${likely.length} more may be the same person. Include them with --also.`]
      : []),
  ]
}

export const exportWords: Words<never, Exported> = {
  result: ({ start, everything, isEmpty, isInFile }) => {
    if (isEmpty) {
      const nothing = `Nothing is stored about a person with this ${named[start.kind]}.`
      return [{ err: [nothing, ...likelyLines(start, everything.likely)].join('\n') }]
    }
    return isInFile ? [] : [printableLines(JSON.stringify(everything, null, 2))]
  },
  written: exportedLines,
}
