import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, type Problem } from '../../contracts/problem.ts'
import type { Account } from '../domain/accounts.ts'
import { urlProblems } from '../mongo/url.ts'
import { type Config, processVariables, readConfig } from './config.ts'
import { demoAccount } from './demo-account.ts'

const readFile = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => readFileSync(path, 'utf8').trimEnd(),
    (error) => (error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'),
  )

/** EX_CONFIG of sysexits.h. */
export const exitOfWrongConfig = 78

export type Settings = Config & { readonly accounts: ReadonlyArray<Account>; readonly demo: boolean }

const told = (problems: ReadonlyArray<Problem>): undefined => {
  for (const problem of problems) console.error(describe([problem]))
}

/** The configuration with its accounts; or undefined after every mistake was printed to stderr. */
export const readSettings = async (): Promise<Settings | undefined> => {
  const config = readConfig(processVariables(), readFile)
  if (E.isLeft(config)) return told(config.left)
  const { accounts, mongo } = config.right
  const problems = mongo === 'embedded' ? [] : urlProblems(mongo, readFile)
  if (problems.length > 0) return told(problems)
  if (accounts !== 'demo') return { ...config.right, accounts, demo: false }
  const made = await demoAccount(config.right.dataDir)
  if (E.isRight(made)) return { ...config.right, accounts: made.right, demo: true }
  return told(made.left)
}
