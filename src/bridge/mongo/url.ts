import * as E from 'fp-ts/lib/Either.js'
import { type MongoClient, MongoParseError } from 'mongodb'
import type { Problem } from '../../../contracts/problem.ts'
import { type MongoLocation, mongoClient } from './client.ts'

type ReadFile = (path: string) => E.Either<string, string>

const files = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const

/** Shows a driver's message only if it has nothing of the URL except option names: it may contain a password. */
const expectedBy = (error: unknown): string => {
  const message = error instanceof MongoParseError ? error.message : ''
  return /^options? [\w, ]+ (is|are) not supported$/.test(message)
    ? `a URL with valid MongoDB options: ${message}`
    : 'a mongodb:// URL, with the user name and the password percent-encoded'
}

const missingFiles = ({ options }: MongoClient, readFile: ReadFile): ReadonlyArray<Problem> =>
  files.flatMap((name) => {
    const path = options[name]
    const file = path === undefined ? E.right('') : readFile(path)
    return E.isLeft(file) ? [{ path: `MONGODB_URL ${name}`, expected: `a file that can be read (${file.left})` }] : []
  })

/** The problems of a URL and of the files that it names. Makes no connection. */
export const urlProblems = (location: MongoLocation, readFile: ReadFile): ReadonlyArray<Problem> => {
  const client = E.tryCatch(
    () => mongoClient(location),
    (error): Problem => ({ path: 'MONGODB_URL', expected: expectedBy(error) }),
  )
  return E.isLeft(client) ? [client.left] : missingFiles(client.right, readFile)
}
