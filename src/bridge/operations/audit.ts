import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import type { Action, ActionOption, OperatorAction } from '../../../contracts/commands/operator-action.ts'
import { AccountId, type Id } from '../../../contracts/primitives.ts'
import { audit } from '../../../contracts/topics.ts'
import type { Now } from '../domain/clock.ts'
import type { Append, Failure } from '../domain/log/record.ts'
import { type Also, alsoText, type Identity, looksLikeAddress, withheld } from '../domain/person/ids.ts'

export type Asked = {
  readonly action: Action
  /** The command, in words of the command line, or what somebody looks at. */
  readonly command: string
  /** No option may be personal data. */
  readonly options?: ActionOption[]
  readonly accountId?: AccountId
}

/** Records an action before it happens. Left: the record may be missing, so the caller must not do the action. */
export type RecordAction = (asked: Asked) => Promise<E.Either<Failure, void>>

const withinMs = 20_000

/** The key of actions on all accounts. No account has this id. */
const allAccounts = '*'

/** The account of an action, if the action is about one account. */
export const ofAccount = (accountId: string | undefined): Pick<Asked, 'accountId'> => {
  const account = AccountId.decode(accountId)
  return E.isRight(account) ? { accountId: account.right } : {}
}

/** An id that somebody typed, as a record may keep it. */
export const idText = (id: Identity): string => (looksLikeAddress(id) ? withheld : id.value)

const recordedAlso = (also: Also): string =>
  alsoText(typeof also === 'string' ? also : { ...also, value: idText(also) })

/** The options that are set. Each value of a list is an option of its own. */
export const optionsOf = (options: object): ActionOption[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [value].flat().map((each) => ({ name, value: String(each) })),
  )

type Ids = { readonly chats: ReadonlyArray<string>; readonly clients: ReadonlyArray<string> }

const mostNamed = 5

/** Who was found. Of many clients only the number is kept. */
const foundOptions = ({ chats, clients }: Ids): object => ({
  ...(clients.length > mostNamed
    ? { 'found-clients': clients.length }
    : { 'found-client': clients.map((value) => idText({ kind: 'client', value })) }),
  'found-chats': chats.length,
})

/**
 * An action on one person. Its options have the person's id, but of an email address, phone or userToken only the kind, also
 * if it was typed as an id.
 */
export const actionOn = (
  action: 'erase' | 'export' | 'unmask',
  {
    accountId,
    start: { kind, value },
    also,
    except = [],
  }: { accountId: string; start: Identity; also: ReadonlyArray<Also>; except?: ReadonlyArray<Also> },
  {
    what = action,
    ticket,
    found,
  }: { readonly what?: string; readonly ticket?: string | undefined; readonly found?: Ids } = {},
): Asked => ({
  action,
  command: what,
  options: optionsOf({
    // Of these a record keeps only the kind.
    [kind]: kind === 'email' || kind === 'phone' || kind === 'userToken' ? true : idText({ kind, value }),
    also: also.map(recordedAlso),
    except: except.map(recordedAlso),
    ...(found && foundOptions(found)),
    ticket,
  }),
  ...ofAccount(accountId),
})

/** The command and its options in one line: `rebuild, views chats,calls, force`. */
export const detailOf = ({ command, options = [] }: Asked): string => {
  const named = [...Map.groupBy(options, ({ name }) => name)].map(([name, all]) => {
    const values = all.map(({ value }) => value).join(',')
    return values === 'true' ? name : `${name} ${values}`
  })
  return [command, ...named].join(', ')
}

export const notRecorded = ({ reason }: Failure): string =>
  `Nothing was done, since it cannot be recorded on the topic audit: ${reason}`

/** The user's name, or the number of a user that the machine has no name for, as in containers with an arbitrary UID. */
export const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

/** The user of the command line, as `user@machine`. */
export const commandLineUser = (): string => `${userName()}@${hostname()}`

/**
 * Records looks at personal data only after erasures were applied that MongoDB may lack, because it was restored from
 * an older copy. So nobody sees a person again who is erased.
 */
export const afterErasures =
  (record: RecordAction, apply: () => Promise<void>): RecordAction =>
  async (asked) => {
    if (asked.action === 'unmask' || asked.action === 'export')
      try {
        await apply()
      } catch {
        const reason = 'the erasures of the archive could not be read, and MongoDB may lack some'
        return E.left({ kind: 'transient', reason })
      }
    return record(asked)
  }

export const actionRecorder =
  (append: Append, now: Now, who: string): RecordAction =>
  (asked) => {
    const recorded: OperatorAction = {
      type: 'OperatorAction',
      id: randomUUID() as Id,
      who,
      at: now(),
      detail: detailOf(asked),
      ...asked,
    }
    return append(
      {
        topic: audit.name,
        key: asked.accountId ?? allAccounts,
        value: JSON.stringify(recorded),
        headers: { 'content-type': 'application/json' },
      },
      withinMs,
    )
  }
