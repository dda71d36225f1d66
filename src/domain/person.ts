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
export type Also = LikelyKind | { readonly kind: CertainKind; readonly value: string }

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

export const readAlso = (text: string): Also | undefined => {
  const kind = certainKinds.find((certain) => text.startsWith(`${certain}:`))
  if (kind === undefined) return likelyKinds.find((likely) => likely === text)
  const value = text.slice(kind.length + 1)
  return value === '' ? undefined : { kind, value }
}

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
  /** Through which identity each of the followed ones was found, without those that were given. */
  readonly joined: ReadonlyArray<Joined>
  /** Others who may be the same person. */
  readonly likely: ReadonlyArray<Likely>
}

export type Joined = { readonly identity: Identity; readonly through: Identity }

/** One other person, as far as the documents found link their ids. `via`: what both have, and was not followed. */
export type Likely = {
  readonly via: ReadonlyArray<Identity>
  readonly leadsTo: ReadonlyArray<{ readonly kind: CertainKind; readonly value: string }>
}

/** `email ann@example.com`: one text for each identity. */
export const identityName = ({ kind, value }: Identity): string => `${kind} ${value}`
const byName = <I extends Identity>(identities: ReadonlyArray<I>) =>
  new Map(identities.map((it) => [identityName(it), it]))
/** The identities, each once. */
export const uniqueIdentities = <I extends Identity>(identities: ReadonlyArray<I>): ReadonlyArray<I> => [
  ...byName(identities).values(),
]
const isCertain = (it: Identity): it is Likely['leadsTo'][number] => certainKinds.some((certain) => certain === it.kind)

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

/**
 * Follows ids from document to document, and those of `also`. `known` are other identities of the same person.
 */
export const resolvePerson = async (
  find: FindLinks,
  start: Identity,
  also: ReadonlyArray<Also>,
  known: ReadonlyArray<Identity> = [],
): Promise<Person> => {
  const followed = new Map<string, Identity>()
  const others = new Map<string, Identity>()
  const isFollowed = (it: Identity) => isCertain(it) || also.some((kind) => kind === it.kind)
  const joined = new Map<string, Joined>()
  const found = async (identities: ReadonlyArray<Identity>) => {
    const asked = byName(identities)
    const documents = await find(identities)
    for (const document of documents) {
      const through = document.find((it) => asked.has(identityName(it)))
      if (through === undefined) continue
      for (const [name, identity] of byName(document.filter(isFollowed)))
        if (!followed.has(name) && !joined.has(name)) joined.set(name, { identity, through })
    }
    return [...byName(documents.flat()).entries()].filter(([name]) => !followed.has(name))
  }
  const chosen = also.flatMap((each) => (typeof each === 'string' ? [] : [each]))
  for (let frontier: ReadonlyArray<Identity> = [start, ...known, ...chosen]; frontier.length > 0; ) {
    for (const [name, it] of byName(frontier)) followed.set(name, it)
    const next = await found(frontier)
    for (const [name, it] of next) if (!isFollowed(it)) others.set(name, it)
    frontier = next.flatMap(([, it]) => (isFollowed(it) ? [it] : []))
  }
  let likely: ReadonlyArray<Likely> = []
  for (const kind of likelyKinds) {
    const those = [...others.values()].filter((it) => it.kind === kind)
    for (const document of those.length === 0 ? [] : await find(those)) {
      const leadsTo = document.filter(isCertain).filter((it) => !followed.has(identityName(it)))
      const via = document.filter((it) => it.kind === kind)
      if (leadsTo.length > 0) likely = withLikely(likely, { via, leadsTo })
    }
  }
  const all = [...followed.values()]
  const valuesOf = (kind: CertainKind) => all.flatMap((it) => (it.kind === kind ? [it.value] : [])).sort()
  return {
    chats: valuesOf('chat'),
    clients: valuesOf('client'),
    followed: all,
    joined: [...joined.values()],
    identities: [...all, ...others.values()].filter(({ value }) => value !== ''),
    likely,
  }
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
