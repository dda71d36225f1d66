import * as events from '../../../contracts/bot-api/inbound.ts'
import { Accepted, Refusal } from '../../../contracts/http.ts'
import type { Samples } from '../read-samples.ts'
import type { JsonObject } from '../schema.ts'
import { anyOf, jsonBody, type Ref, tokenParameter } from './parts.ts'
import { challenge, plain, refusals, table } from './refusals.ts'

const unauthorized = {
  description:
    'The token in the path is of no account; or the account has `authorization`, and the header is missing, wrong or expired.',
  headers: challenge('`Bearer`, where it is the header that was wrong.'),
}

const examplesOf401 = {
  invalid_client: { error: { code: table[401].code, message: table[401].message } },
  unauthorized_client: {
    error: {
      code: 'unauthorized_client',
      message: 'Authorization: expected an access token of the account that has not expired',
    },
  },
}

/** Interface B, from the service to the bot (protocol, Endpoints). */
export const botPath = (samples: Samples, ref: Ref): JsonObject => {
  const responses = refusals([400, 404, 405, 408, 413, 415, 429, 431, 500, 503], plain, ref)
  return {
    parameters: [tokenParameter('`bot.token` or `bot.secondToken` of an account.')],
    post: {
      operationId: 'receiveBotEvent',
      tags: ['Interface B'],
      summary: "Events of a bot's conversation, from the service",
      description: 'Answered within 3 s, once the event is durable. The same `id` again is the same event.',
      security: [{ accessToken: [] }, { bareAccessToken: [] }, {}],
      requestBody: { required: true, content: jsonBody({ anyOf: anyOf(Object.values(events), ref) }, samples) },
      responses: {
        200: { description: 'The event is durable.', content: jsonBody(ref(Accepted), { ok: { result: 'ok' } }) },
        401: { ...unauthorized, content: jsonBody(ref(Refusal), examplesOf401) },
        ...responses,
        405: {
          ...(responses[405] as JsonObject),
          description: 'Another method than POST, or an `event` that is not supported.',
        },
      },
    },
  }
}
