import * as E from 'fp-ts/lib/Either.js'

/** How far two clocks may be apart and still agree. */
export const maxApartMs = 5 * 60_000

const text = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? 'no time' : date.toISOString()
}

/** What two clocks say if they do not agree. */
export const disagreement = (own: number, ofMongo: number): string | undefined =>
  Math.abs(own - ofMongo) <= maxApartMs ? undefined : `it is ${text(own)} here and ${text(ofMongo)} on MongoDB's server`

/**
 * The time by two clocks: the earlier one, so that nothing counts as older than it is. Left: the clocks do not agree,
 * so nothing may be destroyed because of its age.
 */
export const agreedTime = (own: number, ofMongo: number): E.Either<string, number> => {
  const apart = disagreement(own, ofMongo)
  return apart === undefined
    ? E.right(Math.min(own, ofMongo))
    : E.left(`the clocks do not agree: ${apart}. Nothing is erased or deleted because of its age until they do`)
}
