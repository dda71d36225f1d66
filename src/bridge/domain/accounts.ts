import * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../../../contracts/primitives.ts'
import { dayMs, hourMs } from '../shared/time.ts'
import { timeZoneNamed } from './day.ts'

/** The access token of Interface B for an account, and for how many more seconds it is valid. */
export type IssueToken = (account: Account) => Promise<{ readonly token: string; readonly expiresIn: number }>

/** True if the token is the account's own and has not expired. */
export type VerifyToken = (account: Account, token: string) => Promise<boolean>

const text = (name: string, expected: string, ok: (text: string) => boolean) =>
  new t.Type<string, string, unknown>(
    name,
    (u): u is string => typeof u === 'string' && ok(u),
    (u, context) => (typeof u === 'string' && ok(u) ? t.success(u) : t.failure(u, context, expected)),
    t.identity,
  )

/** A token in a path, or a key for signing: 16 to 255 visible characters. */
const Secret = text('Secret', '16 to 255 visible characters', (s) => /^[^\s\p{Cc}\p{Cs}]{16,255}$/u.test(s))
const BaseUrl = text(
  'BaseUrl',
  'an http or https URL without query',
  (s) => /^https?:$/.test(URL.parse(s)?.protocol ?? '') && !/[?#]/.test(s),
)
/** False for . and .., which a URL parser takes for steps between folders, also if they are percent-encoded. */
const isSegment = (name: string) => !/^\.{1,2}$/.test(name)

/** Account ids and provider ids are segments of URLs. */
const segment = '1 to 64 of A-Z a-z 0-9 . _ -, but not . or ..'
const isOwnId = (u: unknown): u is AccountId => AccountId.is(u) && isSegment(u)
const OwnId = new t.Type<AccountId, string, unknown>(
  'OwnId',
  isOwnId,
  (u, context) => (isOwnId(u) ? t.success(u) : t.failure(u, context, segment)),
  t.identity,
)
const ProviderId = text('ProviderId', segment, (s) => /^[\w.-]{1,64}$/.test(s) && isSegment(s))

const wholeNumber = (from: number, to: number) =>
  new t.Type<number, number, unknown>(
    'WholeNumber',
    (u): u is number => Number.isInteger(u) && Number(u) >= from && Number(u) <= to,
    (u, context) =>
      Number.isInteger(u) && Number(u) >= from && Number(u) <= to
        ? t.success(Number(u))
        : t.failure(u, context, `a whole number from ${from} to ${to}`),
    t.identity,
  )

const WhenOvertaken = t.keyof({ send: null, suppress: null }, 'send or suppress')
const WhileAgent = t.keyof({ answer: null, suppress: null }, 'answer or suppress')
const WhatMarkdown = t.keyof({ plain: null, refuse: null }, 'plain or refuse')
const MessageText = text('MessageText', '1 to 4096 characters', (s) => /\S/.test(s) && s.length <= 4096)

const TimeZone = text(
  'TimeZone',
  'a time zone of the IANA database, such as Europe/Berlin',
  (s) => timeZoneNamed(s) !== undefined,
)

/**
 * An account as written in the accounts file. `secondToken` and `secondSecretKey` are accepted while an operator
 * replaces the first ones; the bridge itself sends the first ones. `replyWithin` and `deadlineMs` are in ms.
 */
export const AccountEntry = exactShape(
  { id: OwnId },
  {
    webhooks: exactShape({ token: Secret }, { secondToken: Secret }, 'Webhooks'),
    bot: exactShape(
      { token: Secret, providerId: ProviderId, baseUrl: BaseUrl },
      {
        secondToken: Secret,
        authorization: exactShape({ clientId: Id, secretKey: Secret }, { secondSecretKey: Secret }, 'Authorization'),
        replyWithin: wholeNumber(100, hourMs),
        attempts: wholeNumber(1, 100),
        deadlineMs: wholeNumber(1000, dayMs),
        /** What happens to a reply to a message that is no longer the client's newest. Default: the reply is sent. */
        whenOvertaken: WhenOvertaken,
        /** What happens to a reply to a message that the client has written after an agent joined. Default: it is sent. */
        whileAgent: WhileAgent,
        /** What becomes of Markdown that the service cannot show. Default: it is sent as its plain text. */
        markdown: WhatMarkdown,
        /** The text that the bridge itself sends to a client if no agent is available and the bot does not react. */
        agentUnavailableText: MessageText,
        /** The most requests per second to the service. Default: no limit. */
        requestsPerSecond: wholeNumber(1, 100_000),
        /** Bots read the history of the account's chats with it. Default: nobody does. */
        historyToken: Secret,
        secondHistoryToken: Secret,
      },
      'Bot',
    ),
    /** The most requests per second of the account to the bridge. */
    requestsPerSecond: wholeNumber(1, 1_000_000),
    /** The time zone of the days in the account's statistics. */
    timeZone: TimeZone,
    privacy: exactShape(
      {},
      {
        /** A person without an event for this many days is erased. Default: nobody is erased. */
        retainDays: wholeNumber(1, 36_500),
      },
      'Privacy',
    ),
  },
  'Account',
)
export type AccountEntry = t.TypeOf<typeof AccountEntry>

/** The roles that a person may have in the console, for some accounts or for all. */
export const consoleRoles = ['viewer', 'lead', 'operator', 'privacy'] as const
export type ConsoleRole = (typeof consoleRoles)[number]
export const ConsoleRole = t.keyof(
  Object.fromEntries(consoleRoles.map((role) => [role, null])) as Record<ConsoleRole, null>,
  `one of ${consoleRoles.join(', ')}`,
)

const Group = text('Group', '1 to 255 characters', (s) => /\S/.test(s) && s.length <= 255)

/** A group of the identity provider, and the console role of its members: for these accounts, or for all. */
const GrantEntry = exactShape({ group: Group, role: ConsoleRole }, { accounts: t.array(t.string) }, 'Grant')
export type GrantEntry = t.TypeOf<typeof GrantEntry>

export const AccountsFile = exactShape(
  { accounts: t.array(AccountEntry) },
  { console: exactShape({}, { grants: t.array(GrantEntry) }, 'Console') },
  'Accounts',
)

type BotEntry = NonNullable<AccountEntry['bot']>

/** A bot with its defaults. */
export type BotAccount = Readonly<BotEntry> & {
  readonly replyWithin: number
  readonly attempts: number
  /** How many attempts may time out. The service may have processed them, so a client may read a reply twice. */
  readonly timeouts: number
  readonly deadlineMs: number
}

/** An account with its defaults. */
export type Account = Readonly<Pick<AccountEntry, 'id' | 'webhooks'>> & {
  readonly bot?: BotAccount
  readonly requestsPerSecond: number
  readonly timeZone: string
  /** `privacy.retainDays` */
  readonly retainDays?: number
}

export const withDefaults = ({
  id,
  webhooks,
  bot,
  requestsPerSecond,
  timeZone = 'UTC',
  privacy,
}: AccountEntry): Account => ({
  id,
  requestsPerSecond: requestsPerSecond ?? 20_000,
  timeZone: timeZoneNamed(timeZone) ?? 'UTC',
  ...(privacy?.retainDays !== undefined && { retainDays: privacy.retainDays }),
  ...(webhooks && { webhooks }),
  ...(bot && {
    bot: { replyWithin: 10_000, attempts: 8, timeouts: bot.attempts ?? 2, deadlineMs: 300_000, ...bot },
  }),
})

type Secrets = Readonly<Record<string, string | undefined>>
type ByPath = ReadonlyArray<readonly [path: string, secret: string]>

const present = (secrets: Secrets): ByPath =>
  Object.entries(secrets).flatMap(([path, secret]) => (secret === undefined ? [] : [[path, secret] as const]))

const inPaths = ({ webhooks, bot }: Account): Secrets => ({
  'webhooks.token': webhooks?.token,
  'webhooks.secondToken': webhooks?.secondToken,
  'bot.token': bot?.token,
  'bot.secondToken': bot?.secondToken,
})

/** The tokens of an account that are the end of a URL, by their paths in the accounts file. */
export const pathTokensOf = (account: Account): ByPath => present(inPaths(account))

/** All tokens and secrets of an account, by their paths in the accounts file. */
export const secretsOf = (account: Account): ByPath =>
  present({
    ...inPaths(account),
    'bot.historyToken': account.bot?.historyToken,
    'bot.secondHistoryToken': account.bot?.secondHistoryToken,
    'bot.authorization.secretKey': account.bot?.authorization?.secretKey,
    'bot.authorization.secondSecretKey': account.bot?.authorization?.secondSecretKey,
  })

/** How many characters must be inserted, removed or replaced to make one text of another. */
const editDistance = (one: string, other: string): number => {
  let before = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, character] of [...one].entries()) {
    const row = [i + 1]
    for (let j = 1; j < before.length; j += 1) {
      const replaced = (before[j - 1] ?? 0) + (character === other[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    before = row
  }
  return before.at(-1) ?? one.length
}

/** Asks whether one of these ids was meant: it differs in case, or in a third of its characters at most. */
export const didYouMean = (ids: ReadonlyArray<string>, given: string): string => {
  const all = ids.map((id) => ({ id, distance: editDistance(given.toLowerCase(), id.toLowerCase()) }))
  const [best] = all.sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(1, best.id.length / 3) ? ` Did you mean ${best.id}?` : ''
}

/** Why this id of an account is refused. Undefined if it is one of these. */
export const unknownAccount = (ids: ReadonlyArray<string>, given: string): string | undefined =>
  ids.includes(given) ? undefined : `No account has the id ${given}.${didYouMean(ids, given)}`

/** Returns the time zone of an account by its id: UTC for an unknown account. */
export const timeZonesOf = (accounts: ReadonlyArray<Pick<Account, 'id' | 'timeZone'>>) => {
  const known = new Map<string, string>(accounts.map(({ id, timeZone }) => [id, timeZone]))
  return (accountId: string): string => known.get(accountId) ?? 'UTC'
}
