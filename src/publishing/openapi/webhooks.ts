import * as events from '../../../contracts/webhooks/events.ts'
import { WebhookReply } from '../../../contracts/webhooks/reply.ts'
import type { Samples } from '../read-samples.ts'
import type { JsonObject, Schema } from '../schema.ts'
import { anyOf, jsonBody, type Ref, tokenParameter } from './parts.ts'
import { ofWebhooks, refusals } from './refusals.ts'

const known = Object.values(events)

/** An event that the contract does not know is taken, too. */
const unknownEvent: Schema = {
  type: 'object',
  description: 'An event that is not known: it is kept in quarantine.',
  properties: {
    event_name: { type: 'string', not: { enum: known.map((codec) => codec.types[0].props.event_name.value) } },
  },
  required: ['event_name'],
}

const enriched = {
  result: 'ok',
  custom_data: [{ title: 'Orders', content: '3' }],
  contact_info: { name: 'John Smith', email: 'john.smith@example.com' },
  enable_assign: true,
  crm_link: 'https://crm.example.com/clients/1233',
}

/** Interface A (protocol, Endpoints). */
export const webhooksPath = (samples: Samples, ref: Ref): JsonObject => ({
  parameters: [tokenParameter('`webhooks.token` or `webhooks.secondToken` of an account.')],
  post: {
    operationId: 'receiveWebhook',
    tags: ['Interface A'],
    summary: 'Visitor activity, from the service',
    description:
      'Answered once the event is durable; the answers to `chat_accepted` and `chat_updated` have what `enrichments` holds for that visitor. The same body again within ten minutes is the same event.',
    security: [],
    requestBody: {
      required: true,
      content: jsonBody({ anyOf: [...anyOf(known, ref), unknownEvent] }, samples),
    },
    responses: {
      200: {
        description: 'The event is durable, or its name is not known and it is in quarantine.',
        content: jsonBody(ref(WebhookReply), { plain: { result: 'ok' }, enriched }),
      },
      ...refusals([400, 401, 404, 405, 408, 413, 415, 429, 431, 500, 503], ofWebhooks, ref),
    },
  },
})
