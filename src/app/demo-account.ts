import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../contracts/problem.ts'
import type { Account } from '../domain/accounts.ts'
import { readAccounts } from './accounts-file.ts'

const secret = () => randomBytes(18).toString('base64url')

/** Where the demo's simulated service listens; the demo account's replies go there. */
export const demoServicePort = 8090

const demoAccounts = () => ({
  accounts: [
    {
      id: 'demo',
      webhooks: { token: secret() },
      bot: { token: secret(), providerId: 'demo-provider', baseUrl: `http://127.0.0.1:${demoServicePort}` },
    },
  ],
})

const fileIn = (dataDir: string) => join(dataDir, 'accounts.json')

type Found = Promise<E.Either<ReadonlyArray<Problem>, ReadonlyArray<Account>>>

/** The demo account of `dataDir`; no account where the bridge has not run yet. */
export const findDemoAccount = async (dataDir: string): Found => {
  const path = fileIn(dataDir)
  return existsSync(path) ? readAccounts(E.right(await readFile(path, 'utf8'))) : E.right([])
}

/** The demo account, with random tokens that are made once and kept in `dataDir`. */
export const makeDemoAccount = async (dataDir: string): Found => {
  const path = fileIn(dataDir)
  if (!existsSync(path)) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(`${path}.new`, `${JSON.stringify(demoAccounts(), null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  return findDemoAccount(dataDir)
}
