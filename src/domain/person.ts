/** Kinds of ids that certainly belong to one person of an account: the service assigns them. */
const certainKinds = ['chat', 'client', 'visitor'] as const
/** Kinds that likely belong to one person. Two may share an address or a phone; a page may set any userToken. */
export const likelyKinds = ['email', 'phone', 'userToken'] as const

type CertainKind = (typeof certainKinds)[number]
export type LikelyKind = (typeof likelyKinds)[number]
export type Identity = { readonly kind: CertainKind | LikelyKind; readonly value: string }

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
  /** The kinds that were not followed, and the ids that each of them would add. */
  readonly likely: ReadonlyArray<{ readonly via: LikelyKind; readonly leadsTo: ReadonlyArray<Identity> }>
}

const nameOf = ({ kind, value }: Identity) => `${kind} ${value}`
const byName = (identities: ReadonlyArray<Identity>) => new Map(identities.map((it) => [nameOf(it), it]))
const isCertain = ({ kind }: Identity) => certainKinds.some((certain) => certain === kind)

/**
 * Follows ids from document to document. Follows likely identities only if their kind is in `also`. `known` are other
 * identities of the same person.
 */
export const resolvePerson = async (
  find: FindLinks,
  start: Identity,
  also: ReadonlyArray<LikelyKind>,
  known: ReadonlyArray<Identity> = [],
): Promise<Person> => {
  const followed = new Map<string, Identity>()
  const others = new Map<string, Identity>()
  const isFollowed = (it: Identity) => isCertain(it) || also.some((kind) => kind === it.kind)
  const found = async (identities: ReadonlyArray<Identity>) =>
    [...byName((await find(identities)).flat()).entries()].filter(([name]) => !followed.has(name))
  for (let frontier = [start, ...known]; frontier.length > 0; ) {
    for (const [name, it] of byName(frontier)) followed.set(name, it)
    const next = await found(frontier)
    for (const [name, it] of next) if (!isFollowed(it)) others.set(name, it)
    frontier = next.flatMap(([, it]) => (isFollowed(it) ? [it] : []))
  }
  const likely = []
  for (const via of likelyKinds) {
    const those = [...others.values()].filter(({ kind }) => kind === via)
    const leadsTo = those.length === 0 ? [] : (await found(those)).flatMap(([, it]) => (isCertain(it) ? [it] : []))
    if (leadsTo.length > 0) likely.push({ via, leadsTo })
  }
  const all = [...followed.values()]
  const valuesOf = (kind: CertainKind) => all.flatMap((it) => (it.kind === kind ? [it.value] : [])).sort()
  return {
    chats: valuesOf('chat'),
    clients: valuesOf('client'),
    followed: all,
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
