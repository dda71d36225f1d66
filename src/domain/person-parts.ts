import { type Identity, identityName, isOwn, nameInAnyForm, uniqueIdentities } from './person-ids.ts'

/**
 * Chats and clients that belong together: those of a client, or those without one that have the same visitor number and
 * address. A visitor number, an address, a phone or a token joins them to the rest of the person, and may be wrong:
 * several may use one computer.
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

/** The identities of the documents of one client, or of one chat, together. */
const ownPartsOf = (documents: ReadonlyArray<ReadonlyArray<Identity>>): ReadonlyArray<ReadonlyArray<Identity>> => {
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

export const namesIn = (identities: ReadonlyArray<Identity>) => {
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
export const partsOf = (
  documents: ReadonlyArray<ReadonlyArray<Identity>>,
  start: ReadonlyArray<Identity>,
  isFollowed: (it: Identity) => boolean,
): ReadonlyArray<Part> => {
  const isGiven = new Set(start.map(nameInAnyForm))
  const parts: Part[] = []
  /** Which part was the first with an identity. -1: the search began with it. */
  const firstWith = new Map(start.filter((it) => !isOwn(it)).map((it) => [nameInAnyForm(it), -1]))
  const own = ownPartsOf([...documents, ...start.filter(isOwn).map((it) => [it])])
  let rest = withoutClientTogether(own, (it) => isGiven.has(nameInAnyForm(it)))
  const take = (which: (it: Identity) => boolean, via: (part: ReadonlyArray<Identity>) => ReadonlyArray<Identity>) => {
    const next = rest.find((part) => part.some(which))
    if (next === undefined) return false
    rest = rest.filter((part) => part !== next)
    const shared = via(next)
    const through = Math.min(...shared.map((it) => firstWith.get(nameInAnyForm(it)) ?? -1))
    for (const it of next)
      if (!isOwn(it) && isFollowed(it) && !firstWith.has(nameInAnyForm(it)))
        firstWith.set(nameInAnyForm(it), parts.length)
    const isThrough = shared.length > 0 && through >= 0
    parts.push({ ...namesIn(next), via: shared, ...(isThrough && { through }) })
    return true
  }
  const isKnown = (it: Identity) => firstWith.has(nameInAnyForm(it))
  while (
    take(
      (it) => isOwn(it) && isGiven.has(nameInAnyForm(it)),
      () => [],
    )
  ) {}
  while (take(isKnown, (part) => part.filter(isKnown))) {}
  return parts
}

/**
 * The places of the parts that are likely another person at the same computer: only a visitor number joins them to the
 * person, and they have another address. Those found through them too.
 */
export const likelyOthers = (parts: ReadonlyArray<Part>): ReadonlySet<number> => {
  const isJoinedByVisitor = ({ via, through }: Part) =>
    through !== undefined && via.every(({ kind }) => kind === 'visitor')
  const addresses = ({ emails }: Part) => emails.map((email) => email.toLowerCase())
  const ofPerson = new Set(parts.filter(({ through }) => through === undefined).flatMap(addresses))
  const hasOther = (those: ReadonlyArray<string>) => those.length > 0 && !those.some((email) => ofPerson.has(email))
  const others = new Set<number>()
  // A part is later in the list than the one through which it was found.
  for (const [i, part] of parts.entries()) {
    const isFurther = part.through !== undefined && others.has(part.through)
    const isOther = ofPerson.size > 0 && isJoinedByVisitor(part) && hasOther(addresses(part))
    if (isFurther || isOther) others.add(i)
  }
  return others
}
