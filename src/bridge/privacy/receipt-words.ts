import type { Remains } from '../../../contracts/views/erasure.ts'
import type { Condition, Store } from './remains.ts'

// The words of receipts, for the terminal, the console and the printed receipt. The browser's bundle has this file, so
// it imports types only.

type Counts = Readonly<Record<string, number>>

/** What a receipt from before these codes says of a store: sentences, which are only shown. */
type RemainsInWords = { readonly where: string; readonly until: string }

/** What the words are made of. In JSON a time is text. */
export type ReceiptFacts = {
  readonly state: string
  readonly found: Counts
  readonly remains: ReadonlyArray<Remains | RemainsInWords>
  readonly stillFound?: Counts | undefined
  readonly publishedSince?: Counts | undefined
  readonly unnamed?: number | undefined
  readonly checkedAt?: Date | string | undefined
}

/** A store that still has data of the person, until when, and who must act. */
export type Remaining = { readonly what: string; readonly until: string; readonly who: string }

/** A store that the erasure cleans, how many documents it had, and what a check has found there. */
type Cleaned = { readonly what: string; readonly before: number | undefined; readonly now: string }

type ReceiptWords = {
  /** The receipt in a few sentences. */
  readonly verdict: string
  readonly mustAct: ReadonlyArray<Remaining>
  readonly byItself: ReadonlyArray<Remaining>
  /** What came after the erasure. It is no part of it. */
  readonly newer: ReadonlyArray<Remaining>
  /** What a receipt of an earlier version says, as it stands there. */
  readonly inWords: ReadonlyArray<RemainsInWords>
  readonly cleaned: ReadonlyArray<Cleaned>
}

/** `who`: the words for those who must act there. `isChecked`: a check rules the store out once nothing is found in it. */
type StoreWords = { readonly what: string; readonly who?: string; readonly isChecked?: true }

const stores: Readonly<Record<Store, StoreWords>> = {
  'event-topics': {
    what: 'Events in Kafka, not encrypted',
    who: 'An operator sets RETENTION_DAYS to a number of days',
    isChecked: true,
  },
  'bot-replies': { what: 'Replies of the bot, in Kafka', isChecked: true },
  quarantine: { what: 'Requests in quarantine', isChecked: true },
  'dead-letters': { what: 'Dead letters', isChecked: true },
  enrichments: { what: 'Details that teams added, in Kafka', isChecked: true },
  'keys-of-removed-enrichments': {
    what: 'Names of removed details, if a team used an address as the name',
    who: 'An operator removes them',
  },
  'broker-disks': { what: 'Deleted data on the disks of Kafka' },
  oplog: { what: 'Deleted data in the files of MongoDB' },
  backups: { what: 'Backups of Kafka and MongoDB', who: 'Whoever keeps the backups deletes them then' },
  'consumer-copies': {
    what: 'Copies that consumers made',
    who: 'The owner of each consumer that has not confirmed',
  },
}

const conditions: Readonly<Record<Condition, string>> = {
  'retention-days-set': 'For ever',
  'documents-removed': 'No date',
  'segment-rolled': 'Kafka begins a new file',
  'space-reused': 'MongoDB uses the space again',
  'consumer-confirms': 'Each consumer has confirmed',
}

const collections: Readonly<Record<string, string>> = {
  calls: 'Calls',
  chats: 'Chats',
  clients: 'Clients',
  conversations: 'Bot conversations',
  deliveries: 'Replies of the bot',
  enrichments: 'Details that teams added',
  offline_messages: 'Offline messages',
  sessions: 'Sessions',
  timeline: 'Events',
}

const archive = 'Archive, encrypted'
const noDate = 'No date'
const notStated = 'Not stated'
const nobody = 'Nobody: it happens by itself'

/** What a table has for this code; undefined for a code that is newer than this version. */
const wordsIn = <A>(table: Readonly<Record<string, A>>, code: string): A | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined

/** The collection of a view, in words. */
export const collectionWords = (name: string): string => wordsIn(collections, name) ?? name

const numbers = new Intl.NumberFormat('en-GB')
const counted = (value: number, one: string): string => `${numbers.format(value)} ${value === 1 ? one : `${one}s`}`

/** A place in which a check found something: `view chats`, `topic bot-replies`, `markers`. */
type Place = { readonly kind: string; readonly name: string; readonly count: number }

const placesOf = (counts: Counts = {}): ReadonlyArray<Place> =>
  Object.entries(counts).map(([code, count]) => {
    const [kind = '', ...name] = code.split(' ')
    return { kind, name: name.join(' '), count }
  })

const isOfArchive = ({ kind, name }: Place) => kind === 'topic' && name.startsWith('archive-')

/** The store of a topic: topics of events are one store. */
const storeOf = ({ name }: Place): string => (wordsIn(stores, name) === undefined ? 'event-topics' : name)

const placeWords = (place: Place): string => {
  const { kind, name } = place
  if (kind === 'topic') return wordsIn(stores, storeOf(place))?.what ?? name
  return kind === 'view' ? collectionWords(name) : `Copy of a view: ${name}`
}

const isInWords = (each: Remains | RemainsInWords): each is RemainsInWords => 'where' in each

const keysLeft = (found: ReadonlyArray<Place>): number =>
  found.filter(isOfArchive).reduce((sum, { count }) => sum + count, 0)

/** What a check found that should be gone by now. */
const unfinished = (found: ReadonlyArray<Place>): ReadonlyArray<Remaining> => {
  const keys = keysLeft(found)
  return [
    ...found
      .filter(({ kind }) => kind !== 'topic')
      .map(
        (place): Remaining =>
          place.kind === 'markers'
            ? {
                what: `Parts of the erasure: ${numbers.format(place.count)} not read yet`,
                until: noDate,
                who: 'You check again in a minute. If it stays, an operator looks at System',
              }
            : {
                what: `${placeWords(place)}: ${counted(place.count, 'document')} still found`,
                until: noDate,
                who: 'You check again in a minute. If it stays, erase the person again',
              },
      ),
    ...(keys === 0
      ? []
      : [
          {
            what: `${archive}: ${counted(keys, 'key')} not destroyed yet`,
            until: noDate,
            who: 'You check again in a minute. If it stays, an operator starts the archiver',
          },
        ]),
  ]
}

/** What remains and may still have data: a check that has read all of the erasure rules out the stores that it covers. */
const leftOf = ({ remains, checkedAt }: ReceiptFacts, found: ReadonlyArray<Place>): ReadonlyArray<Remains> => {
  const isKnown = checkedAt !== undefined && !found.some(({ kind }) => kind === 'markers')
  const inTopics = new Set(found.filter((place) => place.kind === 'topic' && !isOfArchive(place)).map(storeOf))
  return remains.flatMap((each) => {
    if (isInWords(each)) return []
    const isRuledOut = isKnown && wordsIn(stores, each.store)?.isChecked && !inTopics.has(each.store)
    return isRuledOut ? [] : [each]
  })
}

const remainingWords = ({ store, until, endsWhen, who }: Remains, dayText: (day: string) => string): Remaining => {
  const words: StoreWords = wordsIn(stores, store) ?? { what: store }
  const condition = endsWhen === undefined ? notStated : (wordsIn(conditions, endsWhen) ?? endsWhen)
  return {
    what: words.what,
    until: until === undefined ? condition : dayText(until),
    who: who === undefined ? nobody : (words.who ?? who),
  }
}

/** The stores in which the person had data when the erasure began, and the archive. */
const cleanedOf = ({ found: before, checkedAt }: ReceiptFacts, found: ReadonlyArray<Place>): ReadonlyArray<Cleaned> => {
  const stateOf = (left: number, words: string, clean: string) => {
    if (checkedAt === undefined) return 'Not checked yet'
    return left > 0 ? words : clean
  }
  const keys = keysLeft(found)
  return [
    ...Object.entries(before).map(([name, count]) => {
      const left = found
        .filter((place) => place.kind !== 'topic' && place.name === name)
        .reduce((sum, place) => sum + place.count, 0)
      const clean = name === 'enrichments' ? 'Nothing is left' : 'Nothing personal is left; ids, times and counts stay'
      return {
        what: collectionWords(name),
        before: count,
        now: stateOf(left, `${counted(left, 'document')} still found: check again, then erase again`, clean),
      }
    }),
    {
      what: archive,
      before: undefined,
      now: stateOf(
        keys,
        `${counted(keys, 'key')} not destroyed yet: an operator starts the archiver`,
        'Unreadable for ever: its keys are destroyed',
      ),
    },
  ]
}

const bridgeWords = (
  { state, checkedAt }: ReceiptFacts,
  found: ReadonlyArray<Place>,
  left: ReadonlyArray<Remaining>,
): string => {
  if (state === 'started') return 'The erasure was interrupted: erase the person again to finish it.'
  if (checkedAt === undefined) return 'Nobody has checked yet what is left.'
  if (left.length === 0) return 'The bridge has nothing personal left.'
  return found.every(({ kind }) => kind === 'topic')
    ? 'The bridge has nothing personal left, except in the archive, which can still be read.'
    : 'The bridge has not erased everything yet.'
}

const unnamedWords = (unnamed: number): string =>
  `No document named ${unnamed === 1 ? 'an id' : `${unnamed} ids`} of the request: check it.`

/** The receipt in words. `dayText` writes a day, such as 2026-01-31. */
export const receiptWords = (receipt: ReceiptFacts, dayText: (day: string) => string): ReceiptWords => {
  const found = placesOf(receipt.stillFound)
  const failed = unfinished(found)
  const left = leftOf(receipt, found)
  const wordsOf = (each: Remains) => remainingWords(each, dayText)
  const mustAct = [...failed, ...left.filter(({ who }) => who !== undefined).map(wordsOf)]
  const newer = placesOf(receipt.publishedSince).map((place) => ({
    what: `${placeWords(place)}: ${numbers.format(place.count)} newer than the erasure`,
    until: noDate,
    who: 'Nobody, if the person came back. Otherwise erase the person again',
  }))
  const inWords = receipt.remains.filter(isInWords)
  const days = left.flatMap(({ store, until }) => (until && wordsIn(stores, store)?.isChecked ? [until] : []))
  const last = days.toSorted().at(-1)
  const acts = mustAct.length === 0 ? 'Nobody must act.' : `Somebody must act on ${counted(mustAct.length, 'thing')}.`
  const isKnownWho = inWords.length === 0 || mustAct.length > 0
  const verdict = [
    receipt.unnamed === undefined ? '' : unnamedWords(receipt.unnamed),
    bridgeWords(receipt, found, failed),
    newer.length > 0 ? 'Some data is newer than the erasure.' : '',
    last === undefined
      ? ''
      : `Kafka may keep data in ${counted(days.length, 'place')} until ${dayText(last)}, then deletes it by itself.`,
    isKnownWho ? acts : '',
    inWords.length > 0 ? 'What remains is said in the words of an earlier version.' : '',
  ]
  return {
    verdict: verdict.filter(Boolean).join(' '),
    mustAct,
    byItself: left.filter(({ who }) => who === undefined).map(wordsOf),
    newer,
    inWords,
    cleaned: cleanedOf(receipt, found),
  }
}
