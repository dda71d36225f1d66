import type { PersonAnswer, PersonBody } from './person.ts'

/** Chats and clients that are chosen, or left out, together. */
export type Part = PersonAnswer['parts'][number]
/** The places of the chosen parts in their list. */
export type Chosen = ReadonlySet<number>

/** A part from which the search began cannot be left out. */
export const isFixed = ({ isSure, via }: Part): boolean => isSure && via.length === 0

/** True if nothing is stored of the one who was asked for. */
export const isUnknown = ({ parts, stored }: Pick<PersonAnswer, 'parts' | 'stored'>): boolean =>
  stored.every(({ count }) => count === 0) && parts.every(isFixed)

/** At first those to whom ids lead, without who was erased or is likely another person at the same computer. */
export const chosenAtFirst = (parts: ReadonlyArray<Part>): Chosen =>
  new Set(parts.flatMap(({ isSure, isLikelyOther, erasedAt }, i) => (isSure && !isLikelyOther && !erasedAt ? [i] : [])))

/** With the part, or without it and those that were only found through it. */
export const withChoice = (parts: ReadonlyArray<Part>, chosen: Chosen, place: number, isChosen: boolean): Chosen => {
  if (isChosen) return new Set([...chosen, place])
  const gone = new Set([place])
  // A part is later in the list than the one through which it was found.
  for (const [i, { through }] of parts.entries()) if (through !== undefined && gone.has(through)) gone.add(i)
  return new Set([...chosen].filter((i) => !gone.has(i)))
}

/** What a request says of the choice. A part that was found through one left out must be named itself. */
export const choiceOf = (
  parts: ReadonlyArray<Part>,
  chosen: Chosen,
): { readonly also?: ReadonlyArray<string>; readonly except?: ReadonlyArray<string> } => {
  const also = parts.flatMap(({ isSure, ids, through }, i) => {
    if (!chosen.has(i)) return []
    if (!isSure) return ids.slice(0, 1)
    return through === undefined || chosen.has(through) ? [] : ids
  })
  const except = parts.flatMap(({ isSure, ids }, i) => (isSure && !chosen.has(i) ? ids : []))
  return { ...(also.length > 0 && { also }), ...(except.length > 0 && { except }) }
}

/** How many conversations and clients the chosen parts have, each counted once. */
export const sizeOf = (parts: ReadonlyArray<Part>, chosen: Chosen) => {
  const those = parts.filter((_, i) => chosen.has(i))
  return {
    conversations: new Set(those.flatMap(({ chats }) => chats)).size,
    clients: new Set(those.flatMap(({ clients }) => clients)).size,
  }
}

/** Who was searched for. */
export type Asked = { readonly kind: PersonBody['kind']; readonly value: string }
