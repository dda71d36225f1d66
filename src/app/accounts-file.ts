import * as E from 'fp-ts/lib/Either.js'
import { type Problem, problemsOf } from '../../contracts/problem.ts'
import { type Account, type AccountEntry, AccountsFile, withDefaults } from '../domain/accounts.ts'
import { isObject } from '../shared/json.ts'

const file = (path: string) => (path === '' ? 'BRIDGE_CONFIG' : `BRIDGE_CONFIG ${path}`)

const parse = (text: string): E.Either<ReadonlyArray<Problem>, unknown> =>
  E.tryCatch(
    () => JSON.parse(text),
    () => [{ path: file(''), expected: 'a file of JSON' }],
  )

/** A key that was sent but did not survive the exact codec is a typing mistake: `bot.atempts` would be a default in silence. */
const unknownKeys = (sent: unknown, known: unknown, path: string): Problem[] =>
  !isObject(sent) || !isObject(known)
    ? []
    : Object.keys(sent).flatMap((key) => {
        const at = path === '' ? key : `${path}.${key}`
        return key in known ? unknownKeys(sent[key], known[key], at) : [{ path: file(at), expected: 'no such key' }]
      })

type Named = readonly [name: string, value: string | undefined]

const repeated = (
  entries: ReadonlyArray<AccountEntry>,
  of: (entry: AccountEntry) => ReadonlyArray<Named>,
): Problem[] => {
  const all = entries.flatMap((entry, i) =>
    of(entry).flatMap(([name, value]) => (value === undefined ? [] : [{ i, name, value }])),
  )
  return all.flatMap((one) => {
    const first = all.find(({ value }) => value === one.value)
    return first === undefined || first === one
      ? []
      : [{ path: file(`accounts.${one.i}.${one.name}`), expected: `another value than accounts.${first.i} has` }]
  })
}

const duplicates = (entries: ReadonlyArray<AccountEntry>): Problem[] => [
  ...repeated(entries, ({ id }) => [['id', id]]),
  ...repeated(entries, ({ webhooks }) => [
    ['webhooks.token', webhooks?.token],
    ['webhooks.secondToken', webhooks?.secondToken],
  ]),
  ...repeated(entries, ({ bot }) => [
    ['bot.token', bot?.token],
    ['bot.secondToken', bot?.secondToken],
  ]),
  ...repeated(entries, ({ bot }) => [['bot.authorization.clientId', bot?.authorization?.clientId]]),
]

/** The accounts of a file's text, or every mistake in it by its path. */
export const readAccounts = (
  text: E.Either<string, string>,
): E.Either<ReadonlyArray<Problem>, ReadonlyArray<Account>> => {
  if (E.isLeft(text)) return E.left([{ path: file(''), expected: `a file that can be read (${text.left})` }])
  const json = parse(text.right)
  if (E.isLeft(json)) return json
  const decoded = AccountsFile.decode(json.right)
  if (E.isLeft(decoded))
    return E.left(problemsOf(decoded.left).map(({ path, expected }) => ({ path: file(path), expected })))
  const problems = [...unknownKeys(json.right, decoded.right, ''), ...duplicates(decoded.right.accounts)]
  return problems.length > 0 ? E.left(problems) : E.right(decoded.right.accounts.map(withDefaults))
}
