import { isJsonObject } from '../../shared/json.ts'
import { at, listAt, numberAt, textAt } from './figures.ts'
import { counted, wholeDayText } from './format.ts'
import { confirmedWords, storedWords } from './words.ts'

/** A store that the erasure cleans, and whether a check has found it clean. */
export type Cleaned = { readonly store: string; readonly before: number | undefined; readonly words: string }

/** A store that still has data of the person, until when, and who must act. */
export type Remaining = { readonly store: string; readonly until: string; readonly who: string }

const notChecked = 'Not checked yet'
const nobody = 'Nobody: it happens by itself'

const archiveTopic = /^topic archive-/
const entriesOf = (counts: unknown): ReadonlyArray<readonly [name: string, size: number]> =>
  Object.entries(isJsonObject(counts) ? counts : {}).map(([name, size]) => [name, Number(size)])

/** The stores in which the person had data when the erasure began, and the archive. */
export const cleanedStores = (receipt: unknown): ReadonlyArray<Cleaned> => {
  const isChecked = textAt(receipt, 'checkedAt') !== ''
  const stillFound = at(receipt, 'stillFound')
  const found = at(receipt, 'found')
  const stateOf = (left: number, words: string, clean: string) => {
    if (!isChecked) return notChecked
    return left > 0 ? words : clean
  }
  const views = entriesOf(found).map(([name]) => {
    const left = (numberAt(stillFound, `view ${name}`) ?? 0) + (numberAt(stillFound, `collection ${name}`) ?? 0)
    return {
      store: storedWords(name),
      before: numberAt(found, name),
      words: stateOf(
        left,
        `${counted(left, 'document')} still found: check again, then erase again`,
        name === 'enrichments' ? 'Nothing is left' : 'Nothing personal is left; ids, times and counts stay',
      ),
    }
  })
  const keys = entriesOf(stillFound).reduce((sum, [name, size]) => sum + (archiveTopic.test(name) ? size : 0), 0)
  const archive = {
    store: 'Archive, encrypted',
    before: undefined,
    words: stateOf(
      keys,
      `${counted(keys, 'key')} not destroyed yet: an operator starts the archiver`,
      'Unreadable for ever: its keys are destroyed',
    ),
  }
  return [...views, archive]
}

/** What the last check still found, and what its count means. */
export type StillFound = { readonly what: string; readonly count: number; readonly means: string }

const meaningOf = (where: string): Omit<StillFound, 'count'> => {
  const [kind, name = ''] = where.split(' ')
  if (where.startsWith('markers '))
    return { what: 'Markers of the erasure', means: 'the projector has not read them yet' }
  if (kind === 'view') return { what: storedWords(name), means: 'documents that have personal data' }
  if (kind === 'collection') return { what: `Copy of a rebuild: ${name}`, means: 'documents that have personal data' }
  if (kind !== 'topic') return { what: where, means: '' }
  if (archiveTopic.test(where))
    return {
      what: `Archive of ${name.slice('archive-'.length)}`,
      means: 'chats and clients whose keys are not destroyed yet',
    }
  if (name === 'enrichments')
    return { what: 'Enrichments of teams, in Kafka', means: 'records that Kafka has not deleted yet' }
  const words = Object.hasOwn(stores, where) ? stores[where] : undefined
  return words === undefined
    ? {
        what: `Events in Kafka: ${name}`,
        means: 'chats and clients of the person that may have events before the erasure',
      }
    : { what: words.store, means: 'partitions that have records from before the erasure, of anybody' }
}

/** Empty before a check, and after one that found nothing. */
export const stillFoundIn = (receipt: unknown): ReadonlyArray<StillFound> =>
  entriesOf(at(receipt, 'stillFound')).map(([where, count]) => ({ ...meaningOf(where), count }))

type Words = Omit<Remaining, 'until'> & { readonly until?: string }

const backups = 'backups of Kafka and MongoDB, and copies that consumers made'

const stores: Readonly<Record<string, Words>> = {
  'event topics': { store: 'Events in Kafka, not encrypted', who: 'Nobody, while the archiver runs' },
  'topic bot-replies': { store: 'Replies of the bot, in Kafka', who: nobody },
  'topic quarantine': { store: 'Requests in quarantine', who: nobody },
  'topic dead-letters': { store: 'Dead letters', who: nobody },
  'topic enrichments': { store: 'Enrichments of teams, in Kafka', who: nobody },
  'keys of removed enrichments in the collection enrichments': {
    store: 'Keys of removed enrichments, which may be an address',
    until: 'An operator removes them',
    who: 'An operator',
  },
  "segments on the brokers' disks": {
    store: 'Deleted data on the disks of Kafka',
    until: 'Kafka begins a new file, a day after the data at the earliest',
    who: nobody,
  },
  "MongoDB's oplog and the free space of its files": {
    store: 'Deleted data in the files of MongoDB',
    until: 'MongoDB uses the space again',
    who: 'Nobody; an operator ends it at once by a new initial sync',
  },
  [backups]: {
    store: 'Backups of Kafka and MongoDB',
    until: 'As long as you keep them: the erasure did not state the days',
    who: 'Whoever keeps the backups deletes them then',
  },
}

const dated = /^(\d{4}-\d\d-\d\d): /

/** What remains in one store. A store that is newer than this page is shown as the receipt names it. */
const remainingIn = (where: string, until: string): Remaining => {
  const words = Object.hasOwn(stores, where) ? stores[where] : undefined
  const day = dated.exec(until)?.[1]
  if (where === 'event topics' && day === undefined)
    return {
      store: words?.store ?? where,
      until: 'For ever, because RETENTION_DAYS is forever',
      who: 'An operator sets RETENTION_DAYS to a number of days',
    }
  return {
    store: words?.store ?? where,
    until: day === undefined ? (words?.until ?? until) : wholeDayText(day),
    who: words?.who ?? '',
  }
}

/** True if a check reads this store. */
const isTopic = (where: string) => where === 'event topics' || where.startsWith('topic ')

/**
 * What still has data of the person, until when, and who must act. A complete check has found that topics have nothing
 * more. Consumers keep copies of their own until they confirm.
 */
export const remainingStores = (receipt: unknown, confirmedBy: ReadonlyArray<string>): ReadonlyArray<Remaining> => {
  const isComplete = textAt(receipt, 'state') === 'complete'
  const remains = listAt(receipt, 'remains').filter((each) => !(isComplete && isTopic(textAt(each, 'where'))))
  const ofCopies = remains.find((each) => textAt(each, 'where') === backups)
  const day = dated.exec(textAt(ofCopies, 'until'))?.[1]
  const confirmed =
    confirmedBy.length === 0 ? 'No consumer has confirmed yet' : `Confirmed by ${confirmedBy.join(', ')}`
  return [
    ...remains.map((each) => remainingIn(textAt(each, 'where'), textAt(each, 'until'))),
    {
      store: 'Copies that consumers made',
      until: day === undefined ? confirmed : `${wholeDayText(day)}. ${confirmed}`,
      who: 'The owner of each consumer that has not confirmed',
    },
  ]
}

/** The receipt as a file: what the page says of it, and the record of the bridge. */
export const receiptFile = (receipt: unknown, confirmedBy: ReadonlyArray<string>) => ({
  state: confirmedWords(textAt(receipt, 'state'), confirmedBy.length),
  erased: cleanedStores(receipt),
  stillFound: stillFoundIn(receipt),
  remains: remainingStores(receipt, confirmedBy),
  confirmedBy,
  record: receipt,
})
