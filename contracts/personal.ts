import * as t from 'io-ts'

/** A codec that says of its values whether they are personal data. */
export type Marked = { readonly personal: boolean }

const marked =
  (personal: boolean) =>
  <C extends t.Mixed>(codec: C): C & Marked =>
    Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, { personal })

/** The same codec; its values tell something about a person: they are encrypted in the archive, and an erasure takes them away. */
export const personal = marked(true)

/** The same codec; its values tell nothing about a person but when, how often and under which id: they stay after an erasure. */
export const impersonal = marked(false)

/** What somebody wrote or is called, and whatever else may tell who somebody is. */
export const Text = personal(t.string)

/** A word of the service's or the bridge's own: a state, a reason, an id made of others, a hash. It tells of nobody. */
export const Code = impersonal(t.string)

/** Values that a codec names itself are no personal data, whatever it is used for. */
const isVocabulary = (codec: t.Mixed) =>
  codec instanceof t.LiteralType ||
  codec instanceof t.KeyofType ||
  codec instanceof t.BooleanType ||
  codec instanceof t.NullType

/** Whether a codec without parts is of personal data; undefined where nobody has said so. */
export const isPersonal = (codec: t.Mixed): boolean | undefined => {
  if (isVocabulary(codec)) return false
  return 'personal' in codec && typeof codec.personal === 'boolean' ? codec.personal : undefined
}
