/** Kinds of ids that certainly belong to one person of an account: the service assigns them. */
const certainKinds = ['chat', 'client', 'visitor'] as const
/** Kinds that likely belong to one person. Two may share an address or a phone; a page may set any userToken. */
export const likelyKinds = ['email', 'phone', 'userToken'] as const

type CertainKind = (typeof certainKinds)[number]
export type LikelyKind = (typeof likelyKinds)[number]
export type Identity = { readonly kind: CertainKind | LikelyKind; readonly value: string }

/**
 * Who belongs to the person besides those to whom ids lead: everybody with the same address, phone or token, or one
 * chat, client or visitor.
 */
export type Also = LikelyKind | Certain
export type Certain = { readonly kind: CertainKind; readonly value: string }

/** `email`, or `client:1240`. */
export const alsoText = (also: Also): string => (typeof also === 'string' ? also : `${also.kind}:${also.value}`)

/**
 * True if a value that was typed as an id may be an email address or a phone number. Nobody can tell 10 to 15 digits
 * from a phone number, so they count too, but not as the id of a chat: the service assigns such ids to chats.
 */
export const looksLikeAddress = ({ kind, value }: Pick<Identity, 'kind' | 'value'>): boolean => {
  if (value.includes('@')) return true
  const digits = value.replace(/\D/g, '').length
  const isPhone = /^[\d\s+()./-]+$/.test(value) && digits >= 7 && digits <= 15
  return isPhone && (digits < value.length || (digits >= 10 && kind !== 'chat'))
}

/** `client:1240`. */
export const readCertain = (text: string): Certain | undefined => {
  const kind = certainKinds.find((certain) => text.startsWith(`${certain}:`))
  const value = text.slice((kind?.length ?? 0) + 1)
  return kind === undefined || value === '' ? undefined : { kind, value }
}

export const readAlso = (text: string): Also | undefined =>
  readCertain(text) ?? likelyKinds.find((likely) => likely === text)

/** Finds the documents that have any of these identities. Returns all identities of each document. */
export type FindLinks = (identities: ReadonlyArray<Identity>) => Promise<ReadonlyArray<ReadonlyArray<Identity>>>

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
}

/**
 * Chats and clients that belong together: those of a client, or those without one that have the same visitor number and
 * address. A visitor number, an address, a phone or a token joins them
 * to the rest of the person, and may be wrong: several may use one computer.
 */
export type Part = {
  readonly chats: ReadonlyArray<string>
  readonly clients: ReadonlyArray<string>
  readonly emails: ReadonlyArray<string>
  /** What joins them to parts before. Empty for those from which the search began. */
  readonly via: ReadonlyArray<Identity>
  /** The place in the list of a part that has `via` too. Absent if the search began with `via`. */
  readonly through?: number
}

/** One other person, as far as the documents found link their ids. `via`: what both have, and was not followed. */
export type Likely = {
  readonly via: ReadonlyArray<Identity>
  readonly leadsTo: ReadonlyArray<Certain>
}

/** `email ann@example.com`: one text for each identity. */
export const identityName = ({ kind, value }: Identity): string => `${kind} ${value}`
const byName = <I extends Identity>(identities: ReadonlyArray<I>) =>
  new Map(identities.map((it) => [identityName(it), it]))
/** The identities, each once. */
export const uniqueIdentities = <I extends Identity>(identities: ReadonlyArray<I>): ReadonlyArray<I> => [
  ...byName(identities).values(),
]
const isCertain = (it: Identity): it is Certain => certainKinds.some((certain) => certain === it.kind)
/** One text for each identity, whose address is the same in capital and small letters. */
const nameInAnyCase = (it: Identity) => (it.kind === 'email' ? identityName(it).toLowerCase() : identityName(it))
/** True for an id that only one has. Several may use one visitor number. */
const isOwn = ({ kind }: Identity) => kind === 'chat' || kind === 'client'

/** The list with one more. Those that share an id are one person. */
const withLikely = (list: ReadonlyArray<Likely>, one: Likely): ReadonlyArray<Likely> => {
  const names = new Set(one.leadsTo.map(identityName))
  const isSame = ({ leadsTo }: Likely) => leadsTo.some((it) => names.has(identityName(it)))
  const same = [...list.filter(isSame), one]
  const merged = {
    via: uniqueIdentities(same.flatMap(({ via }) => via)),
    leadsTo: uniqueIdentities(same.flatMap(({ leadsTo }) => leadsTo)),
  }
  return [...list.filter((other) => !isSame(other)), merged]
}

type Documents = ReadonlyArray<ReadonlyArray<Identity>>

/** Whose document it is: its client's, or if it names none its chat's. */
const ownersOf = (document: ReadonlyArray<Identity>) => {
  const clients = document.filter(({ kind }) => kind === 'client')
  return clients.length > 0 ? clients : document.filter(({ kind }) => kind === 'chat')
}

/** The identities of the documents of one client, or of one chat, together. */
const ownPartsOf = (documents: Documents): ReadonlyArray<ReadonlyArray<Identity>> => {
  const parents = new Map<string, string>()
  const rootOf = (name: string): string => {
    let root = name
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    for (let at = name; at !== root; ) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  const withOwn = documents.flatMap((document) => {
    const [first, ...others] = document.filter(isOwn).map(identityName)
    return first === undefined ? [] : [{ document, first, others }]
  })
  for (const { first, others } of withOwn)
    for (const other of others) {
      const [root, joining] = [rootOf(first), rootOf(other)]
      if (root !== joining) parents.set(joining, root)
    }
  const parts = Map.groupBy(withOwn, ({ first }) => rootOf(first))
  return [...parts.values()].map((those) => uniqueIdentities(those.flatMap(({ document }) => document)))
}

const namesIn = (identities: ReadonlyArray<Identity>) => {
  const valuesOf = (kind: Identity['kind']) => identities.flatMap((it) => (it.kind === kind ? [it.value] : [])).sort()
  return { chats: valuesOf('chat'), clients: valuesOf('client'), emails: valuesOf('email') }
}

/** Chats that name no client, those of one visitor number and one address together. */
const withoutClientTogether = (
  parts: ReadonlyArray<ReadonlyArray<Identity>>,
  isGiven: (it: Identity) => boolean,
): ReadonlyArray<ReadonlyArray<Identity>> => {
  const keyOf = (part: ReadonlyArray<Identity>) => {
    const common = part.filter(({ kind }) => kind === 'visitor' || kind === 'email').map(identityName)
    const isAlone = common.length === 0 || part.some((it) => it.kind === 'client' || (isOwn(it) && isGiven(it)))
    return isAlone ? part : common.sort().join('\n').toLowerCase()
  }
  return [...Map.groupBy(parts, keyOf).values()].map((those) => uniqueIdentities(those.flat()))
}

/** Begins with the parts that have an identity of `start`, and goes from part to part by the identities they share. */
const partsOf = (
  documents: Documents,
  start: ReadonlyArray<Identity>,
  isFollowed: (it: Identity) => boolean,
): ReadonlyArray<Part> => {
  const isGiven = new Set(start.map(identityName))
  const parts: Part[] = []
  /** Which part was the first with an identity. -1: the search began with it. */
  const firstWith = new Map(start.filter((it) => !isOwn(it)).map((it) => [identityName(it), -1]))
  const own = ownPartsOf([...documents, ...start.filter(isOwn).map((it) => [it])])
  let rest = withoutClientTogether(own, (it) => isGiven.has(identityName(it)))
  const take = (which: (it: Identity) => boolean, via: (part: ReadonlyArray<Identity>) => ReadonlyArray<Identity>) => {
    const next = rest.find((part) => part.some(which))
    if (next === undefined) return false
    rest = rest.filter((part) => part !== next)
    const shared = via(next)
    const through = Math.min(...shared.map((it) => firstWith.get(identityName(it)) ?? -1))
    for (const it of next)
      if (!isOwn(it) && isFollowed(it) && !firstWith.has(identityName(it)))
        firstWith.set(identityName(it), parts.length)
    const isThrough = shared.length > 0 && through >= 0
    parts.push({ ...namesIn(next), via: shared, ...(isThrough && { through }) })
    return true
  }
  const isKnown = (it: Identity) => firstWith.has(identityName(it))
  while (
    take(
      (it) => isOwn(it) && isGiven.has(identityName(it)),
      () => [],
    )
  ) {}
  while (take(isKnown, (part) => part.filter(isKnown))) {}
  return parts
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
  const isFollowed = (it: Identity) =>
    (isCertain(it) || also.some((kind) => kind === it.kind)) && !(it.kind === 'visitor' && isExcept(it))
  const isLeftOut = (document: ReadonlyArray<Identity>) =>
    ownersOf(document).some((it) => isExcept(it) && identityName(it) !== identityName(start))
  const found = async (identities: ReadonlyArray<Identity>) => {
    const all = await find(identities)
    const documents = all.filter((document) => !isLeftOut(document))
    leftOut.push(...all.filter(isLeftOut))
    kept.push(...documents)
    return [...byName(documents.flat()).entries()].filter(([name]) => !followed.has(name))
  }
  const chosen = also.flatMap((each) => (typeof each === 'string' ? [] : [each]))
  const given = [start, ...known, ...chosen]
  const ownExcept = [...except.values()].filter(isOwn)
  if (ownExcept.length > 0) leftOut.push(...(await find(ownExcept)).filter(isLeftOut))
  for (let frontier: ReadonlyArray<Identity> = given; frontier.length > 0; ) {
    for (const [name, it] of byName(frontier)) followed.set(name, it)
    const next = await found(frontier)
    for (const [name, it] of next) if (!isFollowed(it)) others.set(name, it)
    frontier = next.flatMap(([, it]) => (isFollowed(it) ? [it] : []))
  }
  let likely: ReadonlyArray<Likely> = []
  for (const kind of likelyKinds) {
    const those = [...others.values()].filter((it) => it.kind === kind)
    for (const document of those.length === 0 ? [] : await find(those)) {
      if (isLeftOut(document)) continue
      const leadsTo = document.filter(isCertain).filter((it) => !followed.has(identityName(it)))
      const via = document.filter((it) => it.kind === kind)
      if (leadsTo.length > 0) likely = withLikely(likely, { via, leadsTo })
    }
  }
  const all = [...followed.values()]
  const valuesOf = (kind: CertainKind) => all.flatMap((it) => (it.kind === kind ? [it.value] : [])).sort()
  const names = new Set(given.map(identityName))
  const ofOthers = uniqueIdentities(leftOut.flat().filter((it) => !isOwn(it)))
  const namesOfOthers = new Set(ofOthers.map(nameInAnyCase))
  const person: Person = {
    chats: valuesOf('chat'),
    clients: valuesOf('client'),
    // An identity that others have too does not tell whose a late event is.
    followed: all.filter((it) => !namesOfOthers.has(nameInAnyCase(it))),
    identities: [...all, ...[...others.values()].filter((it) => !isExcept(it))].filter(({ value }) => value !== ''),
    likely,
    parts: partsOf(kept, given, isFollowed),
    contested: all.filter(isCertain).filter((it) => isExcept(it) && !names.has(identityName(it))),
    ofOthers,
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
