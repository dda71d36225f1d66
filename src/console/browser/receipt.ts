import { isJsonObject } from '../../shared/json.ts'
import { at, listAt, numberAt, textAt } from './figures.ts'
import { counted, wholeDayText } from './format.ts'
import { storedWords } from './words.ts'

/** A store that the erasure cleans, and whether a check has found it clean. */
export type Cleaned = { readonly store: string; readonly before: number | undefined; readonly words: string }

/** A store that still has data of the person, until when, and who must act. */
export type Remaining = { readonly store: string; readonly until: string; readonly who: string }

const notChecked = 'Not checked yet'
const nobody = 'Nobody: it happens by itself'

const archiveTopic = /^topic archive-/
const sumOf = (stillFound: unknown, isMeant: (name: string) => boolean): number =>
  isJsonObject(stillFound)
    ? Object.entries(stillFound).reduce((sum, [name, size]) => sum + (isMeant(name) ? Number(size) : 0), 0)
    : 0

/** The stores in which the person had data when the erasure began, and the archive. */
export const cleanedStores = (receipt: unknown): ReadonlyArray<Cleaned> => {
  const isChecked = textAt(receipt, 'checkedAt') !== ''
  const stillFound = at(receipt, 'stillFound')
  const found = at(receipt, 'found')
  const stateOf = (left: number, words: string) => {
    if (!isChecked) return notChecked
    return left > 0 ? words : 'Nothing is left'
  }
  const views = Object.keys(isJsonObject(found) ? found : {}).map((name) => {
    const left = (numberAt(stillFound, `view ${name}`) ?? 0) + (numberAt(stillFound, `collection ${name}`) ?? 0)
    return {
      store: storedWords(name),
      before: numberAt(found, name),
      words: stateOf(left, `${counted(left, 'document')} still found: check again, then erase again`),
    }
  })
  const keys = sumOf(stillFound, (name) => archiveTopic.test(name))
  const archive = {
    store: 'Archive, encrypted',
    before: undefined,
    words: isChecked
      ? keys > 0
        ? `${counted(keys, 'key')} not destroyed yet: an operator starts the archiver`
        : 'Unreadable for ever: its keys are destroyed'
      : notChecked,
  }
  return [...views, archive]
}

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
  return [
    ...remains.map((each) => remainingIn(textAt(each, 'where'), textAt(each, 'until'))),
    {
      store: 'Copies that consumers made',
      until: confirmedBy.length === 0 ? 'No consumer has confirmed yet' : `Confirmed by ${confirmedBy.join(', ')}`,
      who: 'The owner of each consumer that has not confirmed',
    },
  ]
}
