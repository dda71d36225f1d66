import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { BotRequest } from '../../../contracts/bot-api/outbound.ts'
import { messageTypeOf } from '../../../contracts/messages/index.ts'
import { fieldNamesOf } from '../../../contracts/primitives.ts'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import type { Refusal } from './refusal.ts'

const invalid = (message: string) => E.left<Refusal>({ status: 400, code: 'invalid_request', message })

const ofEvent = new Map(BotRequest.types.map((codec) => [codec.props.event.value, fieldNamesOf(codec)]))

const unsupported = (value: object, known: ReadonlyArray<string> = []) =>
  Object.keys(value).filter((key) => !known.includes(key))

const unsupportedFields = (request: BotRequest) => [
  ...unsupported(request, ofEvent.get(request.event)),
  ...(request.event === 'BOT_MESSAGE'
    ? unsupported(request.message, fieldNamesOf(messageTypeOf(request.message).outbound))
    : []),
]

const refusalsOf = (request: BotRequest) =>
  request.event === 'BOT_MESSAGE' ? messageTypeOf(request.message).refusals(request.message) : []

const eventOf = (json: object) => ('event' in json ? json.event : undefined)

const parse = (body: Buffer) =>
  E.tryCatch(
    (): unknown => JSON.parse(body.toString()),
    () => undefined,
  )

/**
 * A bot's request, decoded. Left: 405 for an event that a bot cannot send, 400 for all else: not application/json (the
 * protocol has no 415), not JSON, a missing, wrong or unknown field, too many buttons (protocol, Errors, Limits).
 */
export const readBody = (contentType: string | undefined, body: Buffer): E.Either<Refusal, BotRequest> => {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) return invalid('content-type: expected application/json')
  const json = isUtf8(body) ? parse(body) : E.left(undefined)
  if (E.isLeft(json) || typeof json.right !== 'object' || json.right === null)
    return invalid('body: expected a JSON object')
  const event = eventOf(json.right)
  if (typeof event === 'string' && event !== 'BOT_MESSAGE' && event !== 'INVITE_AGENT')
    return E.left({ status: 405, code: 'invalid_request', message: 'event: expected BOT_MESSAGE or INVITE_AGENT' })
  const request = BotRequest.decode(json.right)
  if (E.isLeft(request)) return invalid(describe(problemsOf(request.left)))
  const unknown = unsupportedFields(request.right)
  if (unknown.length > 0) return invalid(`not supported: ${unknown.join(', ')}`)
  const [refusal] = refusalsOf(request.right)
  return refusal === undefined ? request : invalid(refusal)
}
