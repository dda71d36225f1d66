import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import { type Dispatcher, request } from 'undici'
import type { BotRequest } from '../../../../contracts/bot-api/outbound.ts'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { messageTypeOf, type OutboundMessage } from '../../../../contracts/messages/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { markdown } from '../../adapters/markdown.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import { type CompleteMessage, completeMessage, rendered } from '../../domain/message-text.ts'

const toWire = (message: CompleteMessage): OutboundMessage => {
  const { type, text, timestamp } = message
  const own = messageTypeOf(message).toWire(message)
  // A type's own fields are those of its outbound message: messageType checks that.
  return { ...own, type, text, timestamp: Math.floor(Date.parse(timestamp) / 1000) } as OutboundMessage
}

/** The request to the service for a command, under the command's id. */
export const botRequest = (command: BotReply, requestedAt: Instant): BotRequest => {
  const exchange = { id: command.id, client_id: command.clientId, chat_id: command.chatId }
  return command.type === 'InviteAgent'
    ? { event: 'INVITE_AGENT', ...exchange }
    : {
        event: 'BOT_MESSAGE',
        ...exchange,
        message: toWire(rendered(markdown, completeMessage(markdown, command.message, requestedAt)).message),
      }
}

const withoutSlashes = (url: string): string => (url.endsWith('/') ? withoutSlashes(url.slice(0, -1)) : url)

const segment = (text: string) => encodeURIComponent(text.toWellFormed())

/**
 * The POST for a command: to `/webhooks/…`, or with an access token to `/providers/…`.
 * `Authorization` is the token without a prefix.
 */
export const createRequest = (
  { baseUrl, providerId, token }: BotAccount,
  body: BotRequest,
  accessToken: string | undefined,
): HttpRequest => ({
  url: [
    withoutSlashes(baseUrl),
    accessToken === undefined ? 'webhooks' : 'providers',
    segment(providerId),
    segment(token),
  ].join('/'),
  headers: {
    'content-type': 'application/json',
    ...(accessToken !== undefined && { authorization: accessToken }),
  },
  body: JSON.stringify(body),
})

export type HttpRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `body` is the part of the body that was read, up to a limit. */
export type HttpResponse = {
  readonly status: number
  readonly headers: { readonly retryAfter?: string }
  readonly body: string
}

/** There was no complete response: `timeout`, `ECONNREFUSED`, `ECONNRESET`, … The service may have the request. */
export type NetworkFailure = { readonly code: string }

export type HttpResult = Either<NetworkFailure, HttpResponse>

/** Posts once. `timeoutMs` covers the request and the whole response. Never rejects. */
export type PostToService = (request: HttpRequest, timeoutMs: number) => Promise<HttpResult>

const bodyLimit = 64 * 1024

const causes = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error ? [error, ...causes(error.cause)] : []

/** undici's names for errors that the operating system calls a reset. */
const resets = new Set(['UND_ERR_SOCKET', 'EPIPE'])

const codeOf = (error: unknown): string => {
  for (const cause of causes(error)) {
    if (cause instanceof Error && cause.name === 'TimeoutError') return 'timeout'
    if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
      return resets.has(cause.code) ? 'ECONNRESET' : cause.code
  }
  return 'network'
}

/** Reads no more than the limit. Leaving the loop early destroys the socket. */
const readBody = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= bodyLimit) break
  }
  return Buffer.concat(chunks).subarray(0, bodyLimit).toString('utf8')
}

/** The first value of a repeated header. */
const only = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/**
 * Posts on kept-alive connections and follows no redirects. After `timeoutMs` it aborts a request whose response body
 * is not complete, which destroys the socket. It reads at most 64 KiB of the body.
 */
export const postToService: PostToService = async ({ url, headers, body: sent }, timeoutMs) => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('not answered in time', 'TimeoutError')), timeoutMs)
  try {
    const { signal } = late
    const response = await request(url, { method: 'POST', headers, body: sent, signal })
    const retryAfter = only(response.headers['retry-after'])
    return E.right<NetworkFailure, HttpResponse>({
      status: response.statusCode,
      headers: retryAfter === undefined ? {} : { retryAfter },
      body: await readBody(response.body),
    })
  } catch (error) {
    return E.left({ code: codeOf(error) })
  } finally {
    clearTimeout(timer)
  }
}
