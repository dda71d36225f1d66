import type * as t from 'io-ts'

/**
 * What is public of a view: the name of its collection, the version of its documents, and their codec. Increase the
 * version with a change after which folding an old document on would not give the same as a fold of the whole log.
 * Documents of an old version are never folded on, but rebuilt.
 */
export type ViewContract<Name extends string = string, C extends t.Mixed = t.Mixed> = {
  readonly name: Name
  readonly version: number
  readonly document: C
}
