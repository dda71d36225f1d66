import * as E from 'fp-ts/lib/Either.js'
import type { BotRequest } from '../../../contracts/bot-api/outbound.ts'
import type { ServiceAccount } from './account.ts'
import { readAddress } from './address.ts'
import type { Script } from './behaviour.ts'
import { readBody } from './body.ts'
import type { ChatChange } from './chat.ts'
import { type Means, perform } from './perform.ts'
import { errorBody, type Refusal } from './refusal.ts'
import type { State } from './state.ts'

/** Whether the value of an `Authorization` header is an access token that the account accepts. */
export type AcceptToken = (accountId: string, token: string) => boolean | Promise<boolean>

export type Incoming = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

type Deps = {
  readonly accounts: () => ReadonlyArray<ServiceAccount>
  readonly state: State
  readonly accepts: AcceptToken
  readonly script: Script
  readonly now: () => number
}

const unauthorized: E.Either<Refusal, never> = E.left({
  status: 401,
  code: 'unauthorized_client',
  message: 'Authorization: expected the access token of this account',
})

const changeOf = (event: BotRequest): ChatChange =>
  event.event === 'BOT_MESSAGE'
    ? { kind: 'bot-wrote', id: event.id, message: event.message }
    : { kind: 'agent-invited', by: 'bot', id: event.id }

const text = (header: string | string[] | undefined) => (Array.isArray(header) ? undefined : header)

/** Checks a bot's request as strictly as the protocol, does what the script says, and records everything. */
export const createReceiver = ({ accounts, state, accepts, script, now }: Deps) => {
  const check = async ({ method, path, headers, body }: Incoming) => {
    const address = readAddress(method, path, accounts())
    if (E.isLeft(address)) return address
    const { account, withAccessToken } = address.right
    // An account with authorization has only the address with an access token. Other accounts have only the other.
    const token = text(headers.authorization)
    if (withAccessToken !== (account.authorization !== undefined)) return unauthorized
    if (withAccessToken && (token === undefined || !(await accepts(account.id, token)))) return unauthorized
    const event = readBody(text(headers['content-type']), body)
    return E.isLeft(event) ? event : E.right({ accountId: account.id, event: event.right })
  }

  return async (incoming: Incoming, means: Omit<Means, 'apply'>) => {
    const { method, path, headers, body } = incoming
    const note = state.record({ at: now(), method, path, headers, body: body.toString() })
    const checked = await check(incoming)
    if (E.isLeft(checked)) {
      note({ refusal: checked.left })
      return means.answer(checked.left.status, errorBody(checked.left), checked.left.headers)
    }
    const { accountId, event } = checked.right
    const attempt = state.count(accountId, event.id)
    const behaviour = script({ chatId: event.chat_id, id: event.id, attempt }) ?? { kind: 'regular' }
    note({ accountId, event, behaviour })
    const apply = () => {
      note({ applied: true })
      state.change(accountId, event.chat_id, changeOf(event))
    }
    return perform(behaviour, { ...means, apply })
  }
}
export type Receive = ReturnType<typeof createReceiver>
