import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { readLines, writeLines } from './items.ts'

/** How the service answers a request for a command: after so many ms, or not at all within the time of the request. */
export type Answer = {
  readonly status?: number
  readonly body?: string
  readonly retryAfter?: string
  readonly network?: string
  readonly afterMs?: number
}

/**
 * What came from outside at a time (ms since 1970): a request of the service to the bridge, a record of another team or
 * operator, or from then on the service's answers to the requests for a command, by its id.
 */
export type Input = { readonly at: number } & (
  | {
      readonly send: {
        readonly method: string
        readonly path: string
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
      }
    }
  | {
      readonly append: {
        readonly topic: string
        readonly key: string | null
        readonly value: string | null
        readonly headers: Readonly<Record<string, string>>
      }
    }
  | { readonly answers: Readonly<Record<string, ReadonlyArray<Answer>>> }
)

const file = 'recorded.jsonl.br'

export const readRecorded = (): ReadonlyArray<Input> => readLines(file) as ReadonlyArray<Input>
export const writeRecorded = (inputs: ReadonlyArray<Input>): void => writeLines(file, inputs)

/** In a recorded header: the access token that the bridge has given this account last. */
export const newestToken = 'the newest access token'

export const start = Date.UTC(2025, 2, 3, 7)

const bot = { providerId: 'prov1', baseUrl: 'http://service.example' }

/** Two accounts in two time zones. The tokens are as long as real ones and open nothing. */
export const accounts = [
  {
    id: 'acme',
    timeZone: 'Europe/Berlin',
    webhooks: { token: 'webhooks-token-of-acme' },
    bot: {
      ...bot,
      token: 'bot-token-of-acme-001',
      historyToken: 'history-token-of-acme',
      replyWithin: 60_000,
      attempts: 4,
      deadlineMs: 120_000,
      agentUnavailableText: 'Nobody is here now. We write to you tomorrow.',
    },
  },
  {
    id: 'globex',
    timeZone: 'Asia/Tokyo',
    webhooks: { token: 'webhooks-token-of-globex' },
    bot: {
      ...bot,
      token: 'bot-token-of-globex-1',
      historyToken: 'history-token-of-globex',
      authorization: { clientId: 'client-of-globex', secretKey: 'secret-key-of-globex' },
      whenOvertaken: 'suppress' as const,
      whileAgent: 'suppress' as const,
    },
  },
]

/** A group of the identity provider for each role, and one that sees one account. */
const grants = [
  ...['viewer', 'lead', 'operator', 'privacy'].map((role) => ({ group: role, role })),
  { group: 'viewer of globex', role: 'viewer', accounts: ['globex'] },
]

/** The accounts file, and a folder of its own for the bridge. */
export const environment = (): Readonly<Record<string, string>> => {
  const folder = temporaryFolder()
  const path = join(folder, 'accounts.json')
  writeFileSync(path, JSON.stringify({ accounts, console: { grants } }))
  return { BRIDGE_CONFIG: path, DATA_DIR: folder, LOG_LEVEL: 'fatal', HTTP_PORT: '0', ADMIN_PORT: '0' }
}
