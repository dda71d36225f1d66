import type { IncomingRecord } from '../../bridge/domain/log/record.ts'
import type { Outcome, Redriven, Tally, Trouble, Why } from '../../bridge/operations/redrive/batches.ts'
import { placeOf } from '../../bridge/operations/redrive/dead-letters.ts'
import { maxRedrives } from '../../bridge/operations/redrive/guard.ts'
import type { Listed, ListedDeadLetter, ListedRequest } from '../../bridge/operations/redrive/list.ts'
import type { RequestEvent } from '../../bridge/operations/redrive/requeue-quarantined.ts'
import type { LetterEvent } from '../../bridge/operations/redrive/send.ts'
import { table } from '../../bridge/shared/table.ts'
import { printable, printableLines, utf8Text } from '../../bridge/shared/text.ts'
import type { Line, Words } from './words.ts'

type Row = ReadonlyArray<string>

const longest = 120

const cell = (text: string) => {
  const safe = printable(text)
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe
}

const sentText = (sentAt: ReadonlyArray<string> | null, erased?: true) => {
  if (sentAt === null) return '?'
  const last = sentAt.at(-1)
  if (last === undefined && erased) return 'no, erased'
  return last === undefined ? 'no' : `${sentAt.length > 1 ? `${sentAt.length} times, last ` : ''}${last}`
}

const deadLetterHead: Row = ['ID', 'ORIGIN', 'CONSUMER', 'CAUSE', 'FAILED AT', 'BEFORE', 'REDRIVEN', 'DETAIL']
const deadLetterRow = ({
  id,
  origin,
  consumer,
  cause,
  failedAt,
  before,
  redriven,
  erased,
  detail,
}: ListedDeadLetter): Row => [id, origin, consumer, cause, failedAt, String(before), sentText(redriven, erased), detail]

const requestHead: Row = ['ID', 'ACCOUNT', 'INTERFACE', 'RECEIVED AT', 'REASON', 'BYTES', 'PROBLEMS']
const requestRow = ({ id, account, interface: api, receivedAt, reason, bytes, problems }: ListedRequest): Row => [
  id,
  account,
  api,
  receivedAt,
  reason,
  String(bytes),
  problems,
]

const listing = (
  { listed, count, unreadable }: Pick<Listed, 'count' | 'unreadable'> & { readonly listed: ReadonlyArray<unknown> },
  rows: ReadonlyArray<Row>,
  what: string,
  one: string,
): ReadonlyArray<string> => [
  ...(listed.length > 0 ? [...table(rows.map((row) => row.map(cell))), ''] : []),
  `${what}: ${listed.length < count ? `the newest ${listed.length} of ` : ''}${count}`,
  ...(unreadable > 0 ? [`records without the headers of a ${one}, not listed: ${unreadable}`] : []),
]

const isUnknown = ({ redriven }: ListedDeadLetter) => redriven === null

export const redriveListWords: Words<never, Listed> = {
  result: (found) =>
    found.kind === 'quarantine'
      ? listing(found, [requestHead, ...found.listed.map(requestRow)], 'requests in quarantine', 'request')
      : [
          ...listing(found, [deadLetterHead, ...found.listed.map(deadLetterRow)], 'dead letters', 'dead letter'),
          ...(found.unresolved === null ? [] : [`unresolved: ${found.unresolved}`]),
          ...(found.listed.some(isUnknown)
            ? ['MongoDB does not answer, so it is not known which of them were redriven']
            : []),
        ],
  json: (found) =>
    found.kind === 'quarantine'
      ? { count: found.count, listed: found.listed }
      : { count: found.count, unresolved: found.unresolved, listed: found.listed },
}

const bytesText = (bytes: Buffer | null, render: (text: string) => string): string => {
  if (bytes === null) return '(null)'
  const text = utf8Text(bytes)
  return text === undefined ? `hex ${bytes.toString('hex')}` : render(text)
}

/** A record: text if its bytes are UTF-8, otherwise hexadecimal digits. */
export const redriveShowWords: Words<never, IncomingRecord> = {
  result: (record) => [
    `id      ${placeOf(record)}`,
    `stored  ${Number.isFinite(record.timestamp) ? new Date(record.timestamp).toISOString() : '?'}`,
    ...Object.entries(record.headers).map(
      ([name, value]) => `header  ${printable(name)}: ${bytesText(value, printable)}`,
    ),
    `key     ${bytesText(record.key, printable)}`,
    `value   ${record.value?.length ?? 0} bytes`,
    bytesText(record.value, printableLines),
  ],
}

/** The word for each outcome, and for none. */
type OutcomeWords = Readonly<Record<Outcome | 'nothing', string>>

const sendWords: OutcomeWords = {
  done: 'sent',
  planned: 'would be sent',
  before: 'sent before',
  kept: 'refused',
  failed: 'failed',
  nothing: 'no dead letter matches',
}

const requeueWords: OutcomeWords = {
  done: 'processed',
  planned: 'would be processed',
  before: 'processed before',
  kept: 'not processed',
  failed: 'failed',
  nothing: 'no request matches',
}

const whyText = (why: Why): string => {
  switch (why.kind) {
    case 'erased':
      return 'the person has been erased since then'
    case 'outdated':
      return 'the record would replace a newer state in the view'
    case 'redriven':
      return `redriven ${why.times} times`
    case 'batch':
      return 'it is a batch of records and cannot be sent as one record'
    case 'foreign':
      return 'its headers were not written by the bridge'
    case 'cut':
      return 'only its beginning was kept'
    case 'unknown-account':
      return 'its account is not in the accounts file'
    case 'unreadable':
    case 'kafka':
      return why.reason
  }
}

const unknownText = { running: 'whether a redrive is running', allowed: 'which records may still be sent' }

const troubleText = (trouble: Trouble, words: OutcomeWords): string => {
  switch (trouble.kind) {
    case 'busy':
      return 'Another redrive is running. Wait until it has ended; if its process has died, that takes a minute.'
    case 'overtaken':
      return 'Another redrive has begun, because this one made no progress for a minute. Run it again'
    case 'interrupted':
      return 'Interrupted. Run the same redrive again to continue.'
    case 'mongodb': {
      const { unknown } = trouble
      const what = unknown === 'sent-before' ? `which records were ${words.before}` : unknownText[unknown]
      return `MongoDB does not answer, so it is not known ${what}`
    }
    case 'not-stored':
      return `MongoDB does not answer: ${trouble.count} of these were ${words.done}, but that could not be stored`
    case 'kafka':
      return `Kafka: ${trouble.reason}`
  }
}

/** `3 sent, 1 sent before`: outcomes with a count of zero are left out. */
const tallyText = (tally: Tally, words: OutcomeWords): string | undefined =>
  Object.entries(tally)
    .flatMap(([outcome, count]) => (count > 0 ? [`${count} ${words[outcome as Outcome]}`] : []))
    .join(', ') || undefined

const redrivenLines = ({ tally, limit, trouble }: Redriven, words: OutcomeWords, ...advice: string[]): Line[] => {
  // After trouble, "nothing matches" may be false, because not all records were read.
  const counts = tallyText(tally, words) ?? (trouble === undefined ? words.nothing : undefined)
  return [
    ...(counts === undefined ? [] : [counts]),
    ...(limit === undefined ? [] : [`The limit of ${limit} is reached. There may be more.`]),
    ...advice,
    ...(trouble === undefined ? [] : [{ err: troubleText(trouble, words) }]),
  ]
}

const columns = (texts: ReadonlyArray<string>) => texts.map(printable).join('  ')

/** The same bytes are sent again. A record that broke its contract fails again, unless a newer bridge accepts it. */
const warningOf = ({ cause }: LetterEvent['letter']) =>
  cause === 'invalid' || cause === 'contract' ? 'it fails again unless the cause is fixed' : undefined

export const redriveSendWords: Words<LetterEvent, Redriven> = {
  event: ({ kind, letter, why }) => {
    const note = why === undefined ? warningOf(letter) : whyText(why)
    const { id, origin, consumer, cause } = letter
    const word = sendWords[kind].padEnd(sendWords.planned.length)
    return [columns([word, id, origin, consumer, cause, ...(note === undefined ? [] : [note])])]
  },
  result: (redriven) =>
    redrivenLines(
      redriven,
      sendWords,
      ...(redriven.tally.kept > 0
        ? [
            `Records that were redriven ${maxRedrives} times already need --force. Records older than the state in their view need --overwrite.`,
          ]
        : []),
    ),
}

export const redriveQuarantineWords: Words<RequestEvent, Redriven> = {
  event: ({ kind, request: { id, account, event = '' }, why }) => {
    const word = requeueWords[kind].padEnd(requeueWords.planned.length)
    return [columns([word, id, account, why === undefined ? event : whyText(why)])]
  },
  result: (redriven) => redrivenLines(redriven, requeueWords),
}
