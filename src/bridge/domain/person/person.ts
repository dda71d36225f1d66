import { connected } from '../../shared/connected.ts'
import {
  type Also,
  byName,
  type Certain,
  type CertainKind,
  type Identity,
  identityName,
  isCertain,
  isOwn,
  isPhoneAlike,
  likelyKinds,
  nameInAnyForm,
  uniqueIdentities,
} from './ids.ts'
import { namesIn, type Part, partsOf } from './parts.ts'

/**
 * Finds the documents that have any of these identities, addresses in capital and small letters. Returns all identities
 * of each document. For a phone number that somebody typed it finds all that end in the same digits, which looks at all
 * numbers of the account.
 */
export type FindLinks = (
  identities: ReadonlyArray<Identity>,
  phones?: 'ending alike' | undefined,
) => Promise<ReadonlyArray<ReadonlyArray<Identity>>>

/** One person of an account, as far as documents link chats and clients. */
export type Person = {
  readonly chats: ReadonlyArray<string>
  readonly clients: ReadonlyArray<string>
  /** The identities by which documents were found: all certain ones, and the likely ones that were included. */
  readonly followed: ReadonlyArray<Identity>
  /** All known identities of the person, also those that were not followed. */
  readonly identities: ReadonlyArray<Identity>
  /** Others who may be the same person. */
  readonly likely: ReadonlyArray<Likely>
  /** The same chats and clients, those of one client together, in the order in which they were found. */
  readonly parts: ReadonlyArray<Part>
  /** Those of the chats and clients that are also of somebody who was left out. */
  readonly contested: ReadonlyArray<Certain>
  /** Visitor numbers, addresses, phones and tokens of those who were left out. */
  readonly ofOthers: ReadonlyArray<Identity>
  /** The chats, clients and visitors that were given, and that no document names. */
  readonly unnamed: ReadonlyArray<Certain>
}

/** One other person, as far as the documents found link their ids. `via`: what both have, and was not followed. */
export type Likely = {
  readonly via: ReadonlyArray<Identity>
  readonly leadsTo: ReadonlyArray<Certain>
}

/** Those that share an id are one person. */
const eachOnce = (list: ReadonlyArray<Likely>): ReadonlyArray<Likely> =>
  connected(list, ({ leadsTo }) => leadsTo.map(identityName)).map((same) => ({
    via: uniqueIdentities(same.flatMap(({ via }) => via)),
    leadsTo: uniqueIdentities(same.flatMap(({ leadsTo }) => leadsTo)),
  }))

/** Whose document it is: its client's, or if it names none its chat's. */
const ownersOf = (document: ReadonlyArray<Identity>) => {
  const clients = document.filter(({ kind }) => kind === 'client')
  return clients.length > 0 ? clients : document.filter(({ kind }) => kind === 'chat')
}

/** Who belongs to a person, as the operator knows it. */
type Choice = {
  readonly also: ReadonlyArray<Also>
  /** Other identities of the same person. */
  readonly known: ReadonlyArray<Identity>
  readonly except: ReadonlyMap<string, Identity>
}

const resolveWith = async (find: FindLinks, start: Identity, { also, known, except }: Choice) => {
  const followed = new Map<string, Identity>()
  const others = new Map<string, Identity>()
  const kept: Array<ReadonlyArray<Identity>> = []
  const leftOut: Array<ReadonlyArray<Identity>> = []
  const isExcept = (it: Identity) => except.has(identityName(it))
  const chosen = also.flatMap((each) => (typeof each === 'string' ? [] : [each]))
  const given = [start, ...known, ...chosen]
  const givenNames = new Set(given.map(nameInAnyForm))
  const isFollowed = (it: Identity) =>
    (isCertain(it) || also.some((kind) => kind === it.kind) || givenNames.has(nameInAnyForm(it))) &&
    !(it.kind === 'visitor' && isExcept(it))
  const isLeftOut = (document: ReadonlyArray<Identity>) =>
    ownersOf(document).some((it) => isExcept(it) && identityName(it) !== identityName(start))
  /** Phone numbers like the typed one. Who has them is only likely the same person. */
  const alike: Identity[] = []
  const isMeant = (document: ReadonlyArray<Identity>) => document.some((it) => givenNames.has(nameInAnyForm(it)))
  const findTyped = async () => {
    const ending = await find(given, 'ending alike')
    if (start.kind !== 'phone') return ending
    alike.push(...ending.flat().filter((it) => isPhoneAlike(start, it)))
    return ending.filter(isMeant)
  }
  const found = async (identities: ReadonlyArray<Identity>) => {
    const all = await (identities === given ? findTyped() : find(identities))
    const documents = all.filter((document) => !isLeftOut(document))
    leftOut.push(...all.filter(isLeftOut))
    kept.push(...documents)
    return [...byName(documents.flat()).entries()].filter(([name]) => !followed.has(name))
  }
  const ownExcept = [...except.values()].filter(isOwn)
  if (ownExcept.length > 0) leftOut.push(...(await find(ownExcept)).filter(isLeftOut))
  for (let frontier: ReadonlyArray<Identity> = given; frontier.length > 0; ) {
    for (const [name, it] of byName(frontier)) followed.set(name, it)
    const next = await found(frontier)
    for (const [name, it] of next) if (!isFollowed(it)) others.set(name, it)
    frontier = next.flatMap(([, it]) => (isFollowed(it) ? [it] : []))
  }
  const likely: Likely[] = []
  for (const kind of likelyKinds) {
    const those = [...others.values(), ...uniqueIdentities(alike)].filter((it) => it.kind === kind)
    for (const document of those.length === 0 ? [] : await find(those)) {
      if (isLeftOut(document)) continue
      const leadsTo = document.filter(isCertain).filter((it) => !followed.has(identityName(it)))
      const via = document.filter((it) => it.kind === kind)
      likely.push({ via, leadsTo })
    }
  }
  const all = [...followed.values()]
  const valuesOf = (kind: CertainKind) => all.flatMap((it) => (it.kind === kind ? [it.value] : [])).sort()
  const names = new Set(given.map(identityName))
  const ofOthers = uniqueIdentities(leftOut.flat().filter((it) => !isOwn(it)))
  const namesOfOthers = new Set(ofOthers.map(nameInAnyForm))
  const isNamed = new Set([...kept, ...leftOut].flat().map(identityName))
  const person: Person = {
    chats: valuesOf('chat'),
    clients: valuesOf('client'),
    // An identity that others have too does not tell whose a late event is.
    followed: all.filter((it) => !namesOfOthers.has(nameInAnyForm(it))),
    identities: [...all, ...[...others.values()].filter((it) => !isExcept(it))].filter(({ value }) => value !== ''),
    likely: eachOnce(likely),
    parts: partsOf(kept, given, isFollowed),
    contested: all.filter(isCertain).filter((it) => isExcept(it) && !names.has(identityName(it))),
    ofOthers,
    unnamed: uniqueIdentities(given.filter(isCertain)).filter((it) => !isNamed.has(identityName(it))),
  }
  return { person, leftOut }
}

/**
 * Follows ids from document to document, and those of `also`. `known` are other identities of the same person. `except`
 * are not of the person: a visitor number is not followed, and documents of a client, or of a chat without one, are left
 * out with their chats.
 */
export const resolvePerson = async (
  find: FindLinks,
  start: Identity,
  also: ReadonlyArray<Also>,
  known: ReadonlyArray<Identity> = [],
  except: ReadonlyArray<Certain> = [],
): Promise<Person> => {
  // One document of a chat may name the client, and another only the chat: it is left out wherever it is found.
  for (let all = byName<Identity>(except); ; ) {
    const { person, leftOut } = await resolveWith(find, start, { also, known, except: all })
    const next = byName([...all.values(), ...leftOut.flat().filter(({ kind }) => kind === 'chat')])
    if (next.size === all.size) return person
    all = next
  }
}

/** Enough to choose from. Of others only the ids are known that a shared address, phone or token led to. */
const maxLikelyFollowed = 50

/** Each of those who are likely the same person as one part, with all that ids lead to from there. */
export const likelyParts = async (
  find: FindLinks,
  { likely }: Pick<Person, 'likely'>,
  except: ReadonlyArray<Certain> = [],
): Promise<ReadonlyArray<Omit<Part, 'through'>>> => {
  const parts: Array<Omit<Part, 'through'>> = []
  for (const { via, leadsTo } of likely) {
    const [first, ...others] = leadsTo
    const { chats, clients, emails } =
      first === undefined || parts.length >= maxLikelyFollowed
        ? namesIn([...leadsTo, ...via])
        : namesIn((await resolvePerson(find, first, [], others, except)).identities)
    parts.push({ chats, clients, emails, via })
  }
  return parts
}

const fieldOf = {
  chat: 'chatId',
  client: 'clientId',
  visitor: 'visitorNumber',
  email: 'email',
  phone: 'phone',
  userToken: 'userToken',
}

/** The keys under which teams may have published enrichments about the person. */
export const enrichmentKeys = (accountId: string, { identities }: Pick<Person, 'identities'>): ReadonlyArray<string> =>
  identities.map(({ kind, value }) => `${accountId}/${fieldOf[kind]}:${value}`)
