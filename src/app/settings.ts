import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, type Problem } from '../../contracts/problem.ts'
import type { Account } from '../domain/accounts.ts'
import { type Config, processVariables, readConfig } from './config.ts'
import { findDemoAccount, makeDemoAccount } from './demo-account.ts'

const readFile = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => readFileSync(path, 'utf8').trimEnd(),
    (error) => (error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'),
  )

/** EX_CONFIG of sysexits.h. */
export const exitOfWrongConfig = 78

export type Settings = Config & { readonly accounts: ReadonlyArray<Account>; readonly demo: boolean }

/** The configuration with its accounts, or every mistake. Only who runs the bridge makes the demo account; others write nothing. */
export const settingsOf = async (account: 'make' | 'find'): Promise<E.Either<ReadonlyArray<Problem>, Settings>> => {
  const config = readConfig(processVariables(), readFile)
  if (E.isLeft(config)) return config
  const { accounts, dataDir } = config.right
  if (accounts !== 'demo') return E.right({ ...config.right, accounts, demo: false })
  const demo = account === 'make' ? await makeDemoAccount(dataDir) : await findDemoAccount(dataDir)
  return E.map((accounts: ReadonlyArray<Account>) => ({ ...config.right, accounts, demo: true }))(demo)
}

/** The same; or undefined after every mistake was printed to stderr. */
export const readSettings = async (account: 'make' | 'find' = 'find'): Promise<Settings | undefined> => {
  const settings = await settingsOf(account)
  if (E.isRight(settings)) return settings.right
  for (const problem of settings.left) console.error(describe([problem]))
  return undefined
}
