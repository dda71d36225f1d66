import { isJsonObject } from '../../bridge/shared/json.ts'
import { at, listAt, numberAt, textAt } from './figures.ts'
import { count, counted, dayOfTime, wholeDayText } from './format.ts'
import { confirmedWords, storedWords } from './words.ts'

/** A store that the erasure cleans, and whether a check has found it clean. */
export type Cleaned = { readonly store: string; readonly before: number | undefined; readonly words: string }

/** A store that still has data of the person, until which day, and who must act. `mustAct`: it does not go by itself. */
export type Remaining = {
  readonly store: string
  readonly until: string
  readonly who: string
  readonly mustAct: boolean
}

const notChecked = 'Not checked yet'
/** Instead of a day: nothing ends it by itself; nobody told the erasure. */
const [noDay, notStated] = ['No date', 'Not stated']
const nobody = 'Nobody: it happens by itself'

const archiveStore = 'Archive, encrypted'
const archiveTopic = /^topic archive-/
const entriesOf = (counts: unknown): ReadonlyArray<readonly [name: string, size: number]> =>
  Object.entries(isJsonObject(counts) ? counts : {}).map(([name, size]) => [name, Number(size)])

/** How many keys of the archive are not destroyed yet. */
const keysLeft = (receipt: unknown): number =>
  entriesOf(at(receipt, 'stillFound')).reduce((sum, [name, size]) => sum + (archiveTopic.test(name) ? size : 0), 0)

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
  const keys = keysLeft(receipt)
  const archive = {
    store: archiveStore,
    before: undefined,
    words: stateOf(
      keys,
      `${counted(keys, 'key')} not destroyed yet: an operator starts the archiver`,
      'Unreadable for ever: its keys are destroyed',
    ),
  }
  return [...views, archive]
}

type Words = Pick<Remaining, 'store'> & Partial<Omit<Remaining, 'store'>>

const backups = 'backups of Kafka and MongoDB, and copies that consumers made'
const eventTopics = 'event topics'

const stores: Readonly<Record<string, Words>> = {
  [eventTopics]: { store: 'Events in Kafka, not encrypted' },
  'topic bot-replies': { store: 'Replies of the bot, in Kafka' },
  'topic quarantine': { store: 'Requests in quarantine' },
  'topic dead-letters': { store: 'Dead letters' },
  'topic enrichments': { store: 'Details that teams added, in Kafka' },
  'keys of removed enrichments in the collection enrichments': {
    store: 'Names of removed details, if a team used an address as the name',
    until: noDay,
    who: 'An operator removes them',
    mustAct: true,
  },
  "segments on the brokers' disks": {
    store: 'Deleted data on the disks of Kafka',
    until: 'Kafka begins a new file',
  },
  "MongoDB's oplog and the free space of its files": {
    store: 'Deleted data in the files of MongoDB',
    until: 'MongoDB uses the space again',
  },
  [backups]: {
    store: 'Backups of Kafka and MongoDB',
    until: notStated,
    who: 'Whoever keeps the backups deletes them then',
    mustAct: true,
  },
}

const dated = /^(\d{4}-\d\d-\d\d): /

const isTopic = (where: string) => where === eventTopics || where.startsWith('topic ')

/** What remains in one store. A store that is newer than this page is shown as the receipt names it. */
const remainingIn = (where: string, until: string): Remaining => {
  const { store, ...words }: Words = (Object.hasOwn(stores, where) ? stores[where] : undefined) ?? {
    store: where,
    who: '',
  }
  const day = dated.exec(until)?.[1]
  if (where === eventTopics && day === undefined)
    return {
      store,
      until: 'For ever',
      who: 'An operator sets RETENTION_DAYS to a number of days',
      mustAct: true,
    }
  return {
    store,
    until: day === undefined ? (words.until ?? until) : wholeDayText(day),
    who: words.who ?? nobody,
    mustAct: words.mustAct ?? false,
  }
}

const unread = 'markers '

/** The topics that may still have data of the person. A check that has read all of the erasure rules out the others. */
const topicsLeft = (receipt: unknown): ReadonlyArray<unknown> => {
  const found = entriesOf(at(receipt, 'stillFound')).map(([where]) => where)
  const isSettled = textAt(receipt, 'checkedAt') !== '' && !found.some((where) => where.startsWith(unread))
  const named = new Set(found)
  const isLeft = (where: string) =>
    !isSettled ||
    named.has(where) ||
    (where === eventTopics &&
      found.some((each) => isTopic(each) && !archiveTopic.test(each) && !Object.hasOwn(stores, each)))
  return listAt(receipt, 'remains').filter((each) => isTopic(textAt(each, 'where')) && isLeft(textAt(each, 'where')))
}

/** What a check found that should be gone by now. */
const unfinished = (receipt: unknown): ReadonlyArray<Remaining> => {
  const found = entriesOf(at(receipt, 'stillFound'))
  const keys = keysLeft(receipt)
  const others = found.filter(([where]) => !isTopic(where))
  return [
    ...others.map(([where, size]): Remaining => {
      const [kind, name = ''] = where.split(' ')
      if (where.startsWith(unread))
        return {
          store: `Parts of the erasure: ${count(size)} not read yet`,
          until: noDay,
          who: 'You check again in a minute. If it stays, an operator looks at System',
          mustAct: true,
        }
      const store = kind === 'view' ? storedWords(name) : kind === 'collection' ? `Copy of a rebuild: ${name}` : where
      return {
        store: `${store}: ${counted(size, 'document')} still found`,
        until: noDay,
        who: 'You check again in a minute. If it stays, erase the person again',
        mustAct: true,
      }
    }),
    ...(keys === 0
      ? []
      : [
          {
            store: `${archiveStore}: ${counted(keys, 'key')} not destroyed yet`,
            until: noDay,
            who: 'You check again in a minute. If it stays, an operator starts the archiver',
            mustAct: true,
          },
        ]),
  ]
}

/** What still has data of the person, until which day, and who must act: first what does not go by itself. */
export const remainingStores = (receipt: unknown): ReadonlyArray<Remaining> => {
  const remains = listAt(receipt, 'remains').filter((each) => !isTopic(textAt(each, 'where')))
  const ofCopies = remains.find((each) => textAt(each, 'where') === backups)
  const day = dated.exec(textAt(ofCopies, 'until'))?.[1]
  const since = entriesOf(at(receipt, 'publishedSince')).map(
    ([where, size]): Remaining => ({
      store: `${where.startsWith('view ') ? storedWords('enrichments') : remainingIn(where, '').store}: ${count(size)} published since then`,
      until: noDay,
      who: 'Nobody, if the person came back. Otherwise you erase the person again',
      mustAct: false,
    }),
  )
  const all = [
    ...unfinished(receipt),
    ...since,
    ...[...topicsLeft(receipt), ...remains].map((each) => remainingIn(textAt(each, 'where'), textAt(each, 'until'))),
    {
      store: 'Copies that consumers made',
      until: day === undefined ? notStated : wholeDayText(day),
      who: 'The owner of each consumer that has not confirmed',
      mustAct: true,
    },
  ]
  return [...all.filter(({ mustAct }) => mustAct), ...all.filter(({ mustAct }) => !mustAct)]
}

const bridgeWords = (receipt: unknown): string => {
  if (textAt(receipt, 'state') === 'started') return 'The erasure was interrupted: erase the person again to finish it.'
  if (textAt(receipt, 'checkedAt') === '') return 'Nobody has checked yet what is left.'
  const left = unfinished(receipt)
  if (left.length === 0) return 'The bridge has nothing personal left.'
  return left.every(({ store }) => store.startsWith(archiveStore))
    ? 'The bridge has nothing personal left, except in the archive, which can still be read.'
    : 'The bridge has not erased everything yet.'
}

/** The receipt in a few sentences: the bridge, Kafka, and whether somebody must act. */
export const verdictOf = (receipt: unknown): string => {
  const days = topicsLeft(receipt).flatMap((each) => dated.exec(textAt(each, 'until'))?.[1] ?? [])
  const last = days.toSorted().at(-1)
  const kafka =
    last === undefined
      ? ''
      : `Kafka may keep data in ${counted(days.length, 'place')} until ${wholeDayText(last)}, then deletes it by itself.`
  const acts = remainingStores(receipt).filter(({ mustAct }) => mustAct).length
  const act = acts === 0 ? 'Nobody must act.' : `Somebody must act on ${counted(acts, 'thing')}.`
  const unnamed = numberAt(receipt, 'unnamed')
  const wrong =
    unnamed === undefined
      ? ''
      : `No document named ${unnamed === 1 ? 'an id' : `${unnamed} ids`} of the request: check it.`
  return [wrong, bridgeWords(receipt), kafka, act].filter(Boolean).join(' ')
}

/** The receipt as a file, in the words of the page. */
export const receiptFile = (receipt: Readonly<Record<string, unknown>>, confirmedBy: ReadonlyArray<string>) => {
  const { state, found, stillFound, publishedSince, unnamed, remains, ...facts } = receipt
  return {
    ...facts,
    state: confirmedWords(textAt(receipt, 'state'), confirmedBy.length),
    verdict: verdictOf(receipt),
    remains: remainingStores(receipt),
    erased: cleanedStores(receipt),
    confirmedBy,
  }
}

const requestedDay = (receipt: unknown): string => dayOfTime(Date.parse(textAt(receipt, 'requestedAt')))

/** `receipt-GDPR-117-2026-11-26.json`. The day is that of the request. */
export const receiptFileName = (receipt: unknown): string => {
  const name = textAt(receipt, 'ticket') || textAt(receipt, '_id')
  const safe = name.replaceAll(/[^A-Za-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `receipt-${safe}-${requestedDay(receipt)}.json`
}

/** True if the text is a part of the ticket, of the receipt's id, or of the day: `2026-11-26` or `26 Nov 2026`. */
export const isReceiptOf = (receipt: unknown, text: string): boolean => {
  const day = requestedDay(receipt)
  const parts = [textAt(receipt, 'ticket'), textAt(receipt, '_id'), day, wholeDayText(day)]
  return parts.some((part) => part.toLowerCase().includes(text.trim().toLowerCase()))
}
