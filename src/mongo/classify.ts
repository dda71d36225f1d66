import { BSON, MongoBulkWriteError, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import type { Failure } from '../domain/ports.ts'
import { adviceFor } from './advice.ts'

export const duplicateKey = 11000

/** What mongod answers when a document itself cannot be stored. */
const ownFault = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  15, // Overflow: nested too deep
  22, // InvalidBSON
  52, // DollarPrefixedFieldName
  55, // InvalidDBRef
  56, // EmptyFieldName
  57, // DottedFieldName
  66, // ImmutableField
  121, // DocumentValidationFailure
  171, // CannotIndexParallelArrays
  10334, // BSONObjectTooLarge
  17280, // KeyTooLong
  17419, // resulting document is larger than 16 MB
  17420,
])

const codesOf = (error: MongoServerError): ReadonlyArray<number> =>
  error instanceof MongoBulkWriteError && Array.isArray(error.writeErrors) && error.writeErrors.length > 0
    ? error.writeErrors.map(({ code }) => code)
    : [Number(error.code)]

const isOwnFault = (error: unknown): boolean => {
  if (error instanceof BSON.BSONError || error instanceof MongoInvalidArgumentError) return true
  if (error instanceof MongoServerError) return codesOf(error).every((code) => ownFault.has(code))
  return !(error instanceof MongoError) && (error instanceof RangeError || error instanceof TypeError)
}

const nameOf = (error: unknown): string => {
  if (error instanceof MongoServerError) return `${error.name} ${codesOf(error).join(', ')}`
  return error instanceof Error ? error.name : 'unknown error'
}

/**
 * Whose fault an error is: `permanent` where documents cannot be stored because of themselves, and only then;
 * everything else, an outage or a mistake of the operator, may pass. The reason has names and codes, which setting
 * to look at where one may be wrong, and never values of documents.
 */
export const classify = (error: unknown): Failure => ({
  kind: isOwnFault(error) ? 'permanent' : 'transient',
  reason: [nameOf(error), adviceFor(error)].filter((part) => part !== undefined).join(': '),
})

/** What failed, for an operator: the error's own words where they are ours. Errors of the driver may hold values. */
export const reasonOf = (error: unknown): string => {
  const { reason } = classify(error)
  return reason === 'Error' && error instanceof Error ? error.message : reason
}

/** Whether every write that was refused came after another writer had inserted the same document. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError &&
  Array.isArray(error.writeErrors) &&
  error.writeErrors.length > 0 &&
  error.writeErrors.every(({ code }) => code === duplicateKey)
