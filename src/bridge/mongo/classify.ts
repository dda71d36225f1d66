import {
  BSON,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb'
import type { Failure } from '../domain/log/record.ts'
import { faultOf } from '../shared/fault.ts'
import { type ServerWords, tlsReasonOf } from '../shared/tls-trouble.ts'

const words: ServerWords = {
  server: 'the server',
  authorities: 'tlsCAFile of MONGODB_URL',
  hosts: 'the hosts of MONGODB_URL and of the replica set',
  clientCertificate: 'tlsCertificateKeyFile of MONGODB_URL',
  tls: 'tls of MONGODB_URL',
}

const refused: Readonly<Record<string, string>> = {
  13: 'the user of MONGODB_URL lacks the required privileges',
  18: 'the user name, the password or the authSource of MONGODB_URL is wrong',
}

const closed = 'the server closes each connection: see tls and tlsCertificateKeyFile of MONGODB_URL'

/** Names the setting that an operator has to check. Undefined if settings do not cause this kind of error. */
const adviceFor = (error: unknown): string | undefined => {
  const trouble = tlsReasonOf(error, words)
  if (trouble !== undefined) return trouble
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof MongoServerError) return refused[String(at.code)]
  }
  // With TLS 1.3 the server does not tell the client that its certificate is missing.
  const isClosed = error instanceof MongoServerSelectionError && error.message.endsWith(' closed')
  return isClosed ? closed : undefined
}

const duplicateKey = 11_000

/** The error codes of mongod for a document that cannot be stored because of its own content. */
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
  return error instanceof RangeError || error instanceof TypeError
}

const nameOf = (error: unknown): string => {
  if (error instanceof MongoServerError) return `${error.name} ${codesOf(error).join(', ')}`
  // The bridge's own fault: where it happened helps, its message may quote a document.
  if (error instanceof TypeError || error instanceof RangeError) return faultOf(error)
  return error instanceof Error ? error.name : 'unknown error'
}

/**
 * Classifies an error. It is `permanent` only if documents cannot be stored because of their own content. Every other
 * error, such as an outage or a mistake of the operator, may pass. The reason has names and codes, and the setting to
 * check if one may be wrong. It never has values of documents.
 */
export const classify = (error: unknown): Failure => ({
  kind: isOwnFault(error) ? 'permanent' : 'transient',
  reason: [nameOf(error), adviceFor(error)].filter((part) => part !== undefined).join(': '),
})

/** The cause, for an operator. Only the bridge's own errors show their message: a driver's message may have values. */
export const mongoReasonOf = (error: unknown): string => {
  const { reason } = classify(error)
  return reason === 'Error' && error instanceof Error ? error.message : reason
}

/**
 * Whether writes failed because their documents are there already. Others may have failed by their own fault: whoever
 * reads the documents and writes again meets these faults alone.
 */
export const isOvertaken = (error: unknown): boolean => {
  if (!(error instanceof MongoBulkWriteError)) return false
  const codes = codesOf(error)
  return codes.includes(duplicateKey) && codes.every((code) => code === duplicateKey || ownFault.has(code))
}

/** False if the document is there already, because another writer was faster. */
export const unlessThere = async (inserting: Promise<unknown>): Promise<boolean> => {
  try {
    await inserting
    return true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKey) return false
    throw error
  }
}
