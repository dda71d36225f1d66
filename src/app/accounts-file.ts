import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Problem, problemsOf } from '../../contracts/problem.ts'
import { type Account, AccountsFile, type GrantEntry, withDefaults } from '../bridge/domain/accounts.ts'
import { attempt } from '../bridge/journal/files.ts'
import { isJsonObject, isObject } from '../bridge/shared/json.ts'
import { madeOnce } from '../bridge/shared/private-files.ts'

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The offset where a text stops being JSON. It is the end of the text if something is missing there. */
const offsetOf = (text: string): number => {
  let at = 0
  const take = (token: RegExp): boolean => {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    at += found?.length ?? 0
    return found !== undefined
  }
  const sign = (wanted: string): boolean => {
    take(space)
    if (text[at] !== wanted) return false
    at++
    return true
  }
  const list = (end: string, item: () => boolean): boolean => {
    if (sign(end)) return true
    do if (!item()) return false
    while (sign(','))
    return sign(end)
  }
  const member = (): boolean => {
    take(space)
    return take(string) && sign(':') && value()
  }
  const value = (): boolean => {
    if (sign('{')) return list('}', member)
    if (sign('[')) return list(']', value)
    return take(string) || take(word)
  }
  if (value()) take(space)
  return at
}

/**
 * Where a text is not JSON, as `line 3, column 14`. The messages of JSON.parse cannot be shown: they quote the text,
 * which may hold secrets, and some have no position.
 */
export const jsonMistake = (text: string): string => {
  const before = text.slice(0, offsetOf(text)).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

const file = (path: string) => (path === '' ? 'BRIDGE_CONFIG' : `BRIDGE_CONFIG ${path}`)

const parse = (text: string): E.Either<ReadonlyArray<Problem>, unknown> =>
  E.tryCatch(
    () => JSON.parse(text),
    () => [{ path: file(''), expected: `valid JSON; the syntax error is at ${jsonMistake(text)}` }],
  )

/** The codecs of the fields that an object may have. */
const fieldsOf = (codec: t.Mixed): t.Props => {
  if (codec instanceof t.ExactType) return fieldsOf(codec.type)
  if (codec instanceof t.IntersectionType) return Object.assign({}, ...codec.types.map(fieldsOf))
  return codec instanceof t.InterfaceType || codec instanceof t.PartialType ? codec.props : {}
}

/** A key that the codec does not have is a typing mistake. Otherwise `bot.atempts` would silently mean the default. */
const unknownKeys = (codec: t.Mixed, sent: unknown, path: string): Problem[] => {
  if (codec instanceof t.ArrayType)
    return Array.isArray(sent) ? sent.flatMap((item, i) => unknownKeys(codec.type, item, `${path}.${i}`)) : []
  const fields = fieldsOf(codec)
  if (Object.keys(fields).length === 0 || !isJsonObject(sent)) return []
  return Object.entries(sent).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    return field === undefined ? [{ path: file(at), expected: 'no such key' }] : unknownKeys(field, value, at)
  })
}

const valueAt = (sent: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), sent)

/** Values that must differ between accounts. Tokens of one line must also differ from each other. */
const unique = [
  ['id'],
  ['webhooks.token', 'webhooks.secondToken'],
  ['bot.token', 'bot.secondToken'],
  ['bot.authorization.clientId'],
]

/** Searches the undecoded file, so that other mistakes do not hide duplicates. */
const duplicates = (accounts: ReadonlyArray<unknown>): Problem[] =>
  unique.flatMap((paths) => {
    const all = accounts.flatMap((account, i) => paths.map((path) => ({ i, path, value: valueAt(account, path) })))
    const named = all.filter(({ value }) => typeof value === 'string')
    const firsts = new Map(named.toReversed().map((one) => [one.value, one]))
    return named.flatMap((one) => {
      const first = firsts.get(one.value)
      return first === undefined || first === one
        ? []
        : [{ path: file(`accounts.${one.i}.${one.path}`), expected: `another value than accounts.${first.i} has` }]
    })
  })

/** Searches the undecoded file, so that other mistakes do not hide unknown accounts. */
const unknownAccounts = (sent: unknown, accounts: ReadonlyArray<unknown>): Problem[] => {
  const known = new Set(['*', ...accounts.map((account) => valueAt(account, 'id'))])
  const grants = valueAt(sent, 'console.grants')
  return (Array.isArray(grants) ? grants : []).flatMap((grant, i) => {
    const granted = valueAt(grant, 'accounts')
    return (Array.isArray(granted) ? granted : []).flatMap((id, j) =>
      known.has(id)
        ? []
        : [{ path: file(`console.grants.${i}.accounts.${j}`), expected: 'the id of an account, or *' }],
    )
  })
}

export type Accounts = { readonly accounts: ReadonlyArray<Account>; readonly grants: ReadonlyArray<GrantEntry> }

/** The accounts and grants of a file, or every mistake in it by its path. */
export const readAccountsFile = (text: E.Either<string, string>): E.Either<ReadonlyArray<Problem>, Accounts> => {
  if (E.isLeft(text)) return E.left([{ path: file(''), expected: `a file that can be read (${text.left})` }])
  const json = parse(text.right)
  if (E.isLeft(json)) return json
  const decoded = AccountsFile.decode(json.right)
  const accounts = isObject(json.right) && Array.isArray(json.right.accounts) ? json.right.accounts : undefined
  const problems = [
    ...(E.isLeft(decoded) ? problemsOf(decoded.left).map((problem) => ({ ...problem, path: file(problem.path) })) : []),
    ...unknownKeys(AccountsFile, json.right, ''),
    ...duplicates(accounts ?? []),
    ...unknownAccounts(json.right, accounts ?? []),
    ...(accounts?.length === 0 ? [{ path: file('accounts'), expected: 'at least one account' }] : []),
  ]
  if (E.isLeft(decoded) || problems.length > 0) return E.left(problems)
  const grants = decoded.right.console?.grants ?? []
  return E.right({ accounts: decoded.right.accounts.map(withDefaults), grants })
}

export const readAccounts = (text: E.Either<string, string>) =>
  E.map(({ accounts }: Accounts) => accounts)(readAccountsFile(text))

const secret = () => randomBytes(18).toString('base64url')

/** The port of the demo's simulated service. The bridge sends the demo account's replies to it. */
const demoServicePort = 8090

const demoAccounts = () => ({
  accounts: [
    {
      id: 'demo',
      webhooks: { token: secret() },
      bot: {
        token: secret(),
        providerId: 'demo-provider',
        baseUrl: `http://127.0.0.1:${demoServicePort}`,
        historyToken: secret(),
      },
    },
  ],
})

const fileIn = (dataDir: string) => join(dataDir, 'accounts.json')

type Found = Promise<E.Either<ReadonlyArray<Problem>, ReadonlyArray<Account>>>

/** The demo account of `dataDir`; no account if the bridge has not run yet. */
export const findDemoAccount = async (dataDir: string): Found => {
  const path = fileIn(dataDir)
  return existsSync(path) ? readAccounts(E.right(await readFile(path, 'utf8'))) : E.right([])
}

/** The demo account. Its random tokens are made once and stored in `dataDir`. */
export const makeDemoAccount = async (dataDir: string): Found => {
  const text = await attempt('it cannot be made', async () =>
    madeOnce(fileIn(dataDir), () => `${JSON.stringify(demoAccounts(), null, 2)}\n`),
  )
  return E.isRight(text)
    ? readAccounts(E.right(text.right))
    : E.left([{ path: 'DATA_DIR', expected: `a folder that this user may write (${dataDir}: ${text.left.reason})` }])
}
