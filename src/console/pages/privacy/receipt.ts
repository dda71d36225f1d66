import { receiptWords } from '../../../bridge/privacy/receipt-words.ts'
import { count, dayOfTime, wholeDayText, wholeTimeText } from '../../browser/format.ts'
import { confirmedWords, erasureWords } from '../../browser/words.ts'
import type { ErasureAnswer } from './erasures.ts'

export type Receipt = ErasureAnswer['receipt']

/** A table of a receipt. The first cell of a row is its head. */
export type Section = {
  readonly title: string
  readonly caption: string
  readonly head: ReadonlyArray<string>
  readonly numbers?: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const wordsOf = (receipt: Receipt) => receiptWords(receipt, wholeDayText)

export const verdictOf = (receipt: Receipt): string => wordsOf(receipt).verdict

/** What a receipt says, on the screen and on paper: who must act on what, what goes by itself, and what was cleaned. */
export const sectionsOf = (receipt: Receipt): ReadonlyArray<Section> => {
  const { mustAct, newer, byItself, inWords, cleaned } = wordsOf(receipt)
  const sections: ReadonlyArray<Section> = [
    {
      title: 'Somebody must act',
      caption: 'What somebody must act on',
      head: ['What', 'Until', 'Who must act'],
      rows: mustAct.map(({ what, until, who }) => [what, until, who]),
    },
    {
      title: 'Newer than the erasure',
      caption: 'What is newer than the erasure',
      head: ['What', 'Who must act'],
      rows: newer.map(({ what, who }) => [what, who]),
    },
    {
      title: 'Goes by itself',
      caption: 'What goes by itself',
      head: ['What', 'Until'],
      rows: byItself.map(({ what, until }) => [what, until]),
    },
    {
      title: 'What remains, in the words of an earlier version',
      caption: 'What remains',
      head: ['What', 'Until'],
      rows: inWords.map(({ where, until }) => [where, until]),
    },
    {
      title: 'Erased',
      caption: 'What was erased',
      head: ['What', 'Documents then', 'Now'],
      numbers: ['Documents then'],
      rows: cleaned.map(({ what, before, now }) => [what, before === undefined ? '' : count(before), now]),
    },
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

/** What a receipt on paper begins with: whom it is from, about what, and when. */
export const factsOf = (
  { _id, accountId, requestedAt, requestedBy, ticket, state, checkedAt }: Receipt,
  confirmedBy: ReadonlyArray<string>,
): ReadonlyArray<readonly [name: string, value: string]> => [
  ['Account', accountId],
  ['Requested', wholeTimeText(requestedAt)],
  ['By', requestedBy],
  ...(ticket === undefined ? [] : [['Ticket', ticket] as const]),
  ['Receipt', _id],
  ['State', erasureWords(state)],
  ['Checked', checkedAt === undefined ? 'not yet' : wholeTimeText(checkedAt)],
  ['Confirmed by', confirmedBy.join(', ') || 'nobody yet'],
]

/** The receipt as a file, in the words of the page. */
export const receiptFile = (receipt: Receipt, confirmedBy: ReadonlyArray<string>) => {
  const { state, found, stillFound, publishedSince, unnamed, remains, ...facts } = receipt
  const { verdict, mustAct, byItself, newer, inWords, cleaned } = wordsOf(receipt)
  return {
    ...facts,
    state: confirmedWords(state, confirmedBy.length),
    verdict,
    remains: [...mustAct, ...byItself, ...inWords],
    ...(newer.length > 0 && { newer }),
    erased: cleaned,
    confirmedBy,
  }
}

const requestedDay = ({ requestedAt }: Pick<Receipt, 'requestedAt'>): string => dayOfTime(Date.parse(requestedAt))

type Named = Pick<Receipt, '_id' | 'ticket' | 'requestedAt'>

/** `receipt-GDPR-117-2026-11-26.json`. The day is that of the request. */
export const receiptFileName = (receipt: Named): string => {
  const safe = (receipt.ticket ?? receipt._id).replaceAll(/[^A-Za-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `receipt-${safe}-${requestedDay(receipt)}.json`
}

/** True if the text is a part of the ticket, of the receipt's id, or of the day: `2026-11-26` or `26 Nov 2026`. */
export const isReceiptOf = (receipt: Named, text: string): boolean => {
  const day = requestedDay(receipt)
  const parts = [receipt.ticket ?? '', receipt._id, day, wholeDayText(day)]
  return parts.some((part) => part.toLowerCase().includes(text.trim().toLowerCase()))
}
