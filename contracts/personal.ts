import * as t from 'io-ts'

/** A codec that states whether its values are personal data. */
export type Marked = { readonly personal: boolean }

const marked =
  (personal: boolean) =>
  <C extends t.Mixed>(codec: C): C & Marked =>
    Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, { personal })

/** Returns the same codec, marked as personal: the archive encrypts its values, and an erasure removes them. */
export const personal = marked(true)

/**
 * Returns the same codec, marked as not personal: they show only when, how often and by which id. They stay after an
 * erasure.
 */
export const impersonal = marked(false)

/** Text that somebody wrote, names, and all other text that may identify a person. */
export const Text = personal(t.string)

/**
 * A word that the service or the bridge defines: a state, a reason, an id made of others, a hash. It identifies nobody.
 */
export const Code = impersonal(t.string)

/** Values that the codec itself lists are never personal data. */
const isVocabulary = (codec: t.Mixed) =>
  codec instanceof t.LiteralType ||
  codec instanceof t.KeyofType ||
  codec instanceof t.BooleanType ||
  codec instanceof t.NullType

/** Whether a codec without parts holds personal data. Undefined if the codec is not marked. */
export const isPersonal = (codec: t.Mixed): boolean | undefined => {
  if (isVocabulary(codec)) return false
  return 'personal' in codec && typeof codec.personal === 'boolean' ? codec.personal : undefined
}
