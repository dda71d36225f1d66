import { setTimeout as wait } from 'node:timers/promises'
import { createAccessToken } from './access-token.ts'
import type { Bridge, ServiceAccount } from './account.ts'
import type { Script } from './behaviour.ts'
import { createConversations } from './conversations.ts'
import { createOddCopies, type Odd } from './odd-forms.ts'
import { type Attempt, createPost } from './post.ts'
import { type AcceptToken, createReceiver } from './receive.ts'
import { type Exchange, isRegular, sendBotEvent, sendWebhook } from './send.ts'
import { listen } from './server.ts'
import { createState } from './state.ts'

export type ServiceOptions = {
  /** 0 takes any free port. */
  readonly port?: number
  readonly accounts: ReadonlyArray<ServiceAccount>
  /** The timeout of an attempt in ms, and the number of attempts (protocol, Limits: 3 s and 2). */
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly now?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Which access tokens the service accepts from a bot. Default: those that it got by its own exchange. */
  readonly acceptToken?: AcceptToken
  /** Default: no event is also sent in an odd form. */
  readonly odd?: Odd
}

/** An event for the bot. Its other fields are sent unchanged. */
export type BotEvent = { readonly id: string; readonly chat_id: string }

const everyChat = ''
const waitOrStop = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal })

/** The chat service: listens for a bot's requests, sends webhooks and bot events, keeps chats and requests. */
export const startService = async ({
  port = 0,
  accounts,
  timeoutMs = 3000,
  attempts = 2,
  now = Date.now,
  sleep = waitOrStop,
  acceptToken,
  odd = { share: 0, seed: 0 },
}: ServiceOptions) => {
  const state = createState(now)
  const post = createPost(timeoutMs, now)
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const tokens = new Map(accounts.map(({ id }) => [id, createAccessToken(() => byId.get(id), post, now)]))
  const scripts = new Map<string, Script>()
  const stopping = new AbortController()
  const oddCopies = createOddCopies(odd)

  const known = (accountId: string) => {
    const [account, token] = [byId.get(accountId), tokens.get(accountId)]
    if (account === undefined || token === undefined) throw new Error(`no account ${accountId}`)
    return { account, token }
  }

  const receive = createReceiver({
    accounts: () => [...byId.values()],
    state,
    accepts: acceptToken ?? ((accountId, token) => known(accountId).token.accepts(token)),
    script: (request) => scripts.get(request.chatId)?.(request) ?? scripts.get(everyChat)?.(request),
    now,
  })
  const server = await listen(receive, (ms) => sleep(ms, stopping.signal), port)

  /**
   * Sends an event that has a `chat_id`, at most `attempts` times. Without a regular response the service hands the
   * chat to an agent (protocol, Limits). The chat then has an invitation by the service.
   */
  const botEvent = async (accountId: string, event: BotEvent): Promise<Exchange> => {
    const { account, token } = known(accountId)
    const send = (sent: { readonly id: string }, contentType?: string) =>
      sendBotEvent({ post, token, now, attempts }, account, sent, contentType)
    const exchange = await send(event)
    if (exchange.regular)
      await oddCopies.beside(event, async (copy, contentType) =>
        (await send({ ...copy, id: String(copy.id) }, contentType)).attempts.at(-1),
      )
    else state.change(accountId, event.chat_id, { kind: 'agent-invited', by: 'service', id: event.id })
    return exchange
  }

  const webhook = async (accountId: string, payload: object): Promise<Attempt> => {
    const send = (sent: object, contentType?: string) => sendWebhook(post, known(accountId).account, sent, contentType)
    const attempt = await send(payload)
    if (isRegular(attempt)) await oddCopies.beside({ ...payload }, send)
    return attempt
  }

  return {
    baseUrl: server.baseUrl,
    /** Sets where an account's events go from now on. */
    connect: (accountId: string, bridge: Bridge) => {
      byId.set(accountId, { ...known(accountId).account, bridge })
    },
    webhook,
    botEvent,
    ...createConversations({ state, botEvent, webhook, accountIds: accounts.map(({ id }) => id) }),
    /** The odd copies of events so far, oldest first. */
    oddCopies: () => [...oddCopies.copies],
    /** All requests so far, oldest first, with what is known of each. */
    requests: () => [...state.requests],
    chats: () => [...state.chats.values()],
    /** Resolves when the condition is met. The condition is read after each change. */
    waitFor: state.waitFor,
    /** Sets the behaviour for one chat's requests, or for all that their chat's script does not handle. */
    misbehave: (script: Script, chatId = everyChat) => void scripts.set(chatId, script),
    /** Removes all scripts. */
    behave: () => scripts.clear(),
    stop: () => {
      stopping.abort()
      return server.stop()
    },
  }
}
export type Service = Awaited<ReturnType<typeof startService>>
