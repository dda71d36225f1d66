import { mayBeSamePhone, phoneDigits } from './phone.ts'

/** Kinds of ids that certainly belong to one person of an account: the service assigns them. */
const certainKinds = ['chat', 'client', 'visitor'] as const
/** Kinds that likely belong to one person. Two may share an address or a phone; a page may set any userToken. */
export const likelyKinds = ['email', 'phone', 'userToken'] as const

export type CertainKind = (typeof certainKinds)[number]
export type LikelyKind = (typeof likelyKinds)[number]
type Of<Kind> = { readonly kind: Kind; readonly value: string }
export type Identity = Of<CertainKind | LikelyKind>

/** An id that the service assigned. */
export type Certain = Of<CertainKind>

/**
 * Who belongs to the person besides those to whom ids lead: everybody with the same address, phone or token, or one
 * chat, client or visitor.
 */
export type Also = LikelyKind | Certain

/** `email`, or `client:1240`. */
export const alsoText = (also: Also): string => (typeof also === 'string' ? also : `${also.kind}:${also.value}`)

/** What stands in a record instead of an id that may be an email address or a phone number. */
export const withheld = '(value withheld)'

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

/** `email ann@example.com`: one text for each identity. */
export const identityName = ({ kind, value }: Identity): string => `${kind} ${value}`
/** By `identityName`. */
export const byName = <I extends Identity>(identities: ReadonlyArray<I>) =>
  new Map(identities.map((it) => [identityName(it), it]))
/** The identities, each once. */
export const uniqueIdentities = <I extends Identity>(identities: ReadonlyArray<I>): ReadonlyArray<I> => [
  ...byName(identities).values(),
]
export const isCertain = (it: Identity): it is Certain => certainKinds.some((certain) => certain === it.kind)
/** One text for each identity: an address is the same in any case, and a phone number with any signs between digits. */
export const nameInAnyForm = (it: Identity): string => {
  if (it.kind === 'email') return identityName(it).toLowerCase()
  const digits = it.kind === 'phone' ? phoneDigits(it.value) : ''
  return digits === '' ? identityName(it) : identityName({ ...it, value: digits })
}
/** True for a phone number that is this one, if the code of the country is left out of one of them. */
export const isPhoneAlike = (one: Of<string>, other: Of<string>): boolean =>
  one.kind === 'phone' && other.kind === 'phone' && mayBeSamePhone(one.value, other.value)
/** True for an id that only one has. Several may use one visitor number. */
export const isOwn = ({ kind }: Identity) => kind === 'chat' || kind === 'client'
