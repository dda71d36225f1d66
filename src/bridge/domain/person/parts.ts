import { connected } from '../../shared/connected.ts'
import { type Identity, identityName, isOwn, nameInAnyForm, uniqueIdentities } from './ids.ts'

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
const ownPartsOf = (documents: ReadonlyArray<ReadonlyArray<Identity>>): ReadonlyArray<ReadonlyArray<Identity>> =>
  connected(documents, (document) => document.filter(isOwn).map(identityName)).map((those) =>
    uniqueIdentities(those.flat()),
  )

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
  const add = (part: ReadonlyArray<Identity>, via: ReadonlyArray<Identity>) => {
    const through = Math.min(...via.map((it) => firstWith.get(nameInAnyForm(it)) ?? -1))
    for (const it of part)
      if (!isOwn(it) && isFollowed(it) && !firstWith.has(nameInAnyForm(it)))
        firstWith.set(nameInAnyForm(it), parts.length)
    parts.push({ ...namesIn(part), via, ...(via.length > 0 && through >= 0 && { through }) })
  }
  const isGivenName = (it: Identity) => isGiven.has(nameInAnyForm(it))
  const isKnown = (it: Identity) => firstWith.has(nameInAnyForm(it))
  const isFirst = (part: ReadonlyArray<Identity>) => part.some((it) => isOwn(it) && isGivenName(it))
  const own = ownPartsOf([...documents, ...start.filter(isOwn).map((it) => [it])])
  const all = withoutClientTogether(own, isGivenName)
  for (const part of all.filter(isFirst)) add(part, [])
  const rest = new Set(all.filter((part) => !isFirst(part)))
  const reached = () => [...rest].find((part) => part.some(isKnown))
  for (let next = reached(); next !== undefined; next = reached()) {
    rest.delete(next)
    add(next, next.filter(isKnown))
  }
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
