import * as botEvents from '../../../contracts/bot-api/inbound.ts'
import * as http from '../../../contracts/http.ts'
import * as webhookEvents from '../../../contracts/webhooks/events.ts'
import { WebhookReply } from '../../../contracts/webhooks/reply.ts'
import { about } from '../about.ts'
import { compile, type PartOf } from '../json-schema.ts'
import { leavesOfRequests } from '../leaves.ts'
import type { Samples } from '../read-samples.ts'
import type { JsonObject } from '../schema.ts'
import { botPath } from './bot.ts'
import { healthPaths } from './health.ts'
import { oauthPath } from './oauth.ts'
import { place, refs } from './parts.ts'
import { withRequestId } from './request-id.ts'
import { webhooksPath } from './webhooks.ts'

const description =
  'What the live-chat service sends to the bridge, and what operators ask of it. Requests that are not HTTP are answered 400 before any of the operations below.'

const securitySchemes: JsonObject = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of /oauth/token. Only accounts with `authorization` need one.',
  },
  bareAccessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The same token without the word Bearer (protocol, Authentication).',
  },
  clientCredentials: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, each form-encoded.' },
}

/** OpenAPI 3.1 of the bridge's own HTTP interface. */
export const bridgeOpenapi = (
  partOf: PartOf,
  samples: { readonly webhooks: Samples; readonly bot: Samples },
): JsonObject => {
  const ref = refs(partOf)
  const codecs = [...Object.values(webhookEvents), ...Object.values(botEvents), WebhookReply, ...Object.values(http)]
  return {
    openapi: '3.1.0',
    info: {
      ...about('Live-chat bridge: HTTP', description),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'http://{host}:{port}',
        description: 'HTTP_HOST and HTTP_PORT of the bridge.',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: [
      { name: 'Interface A', description: 'Webhooks: visitor activity.' },
      { name: 'Interface B', description: 'The exchange between the service and bots.' },
      { name: 'Operation', description: 'Health and measurements.' },
    ],
    paths: withRequestId({
      '/webhooks/{token}': webhooksPath(samples.webhooks, ref),
      '/bot/{token}': botPath(samples.bot, ref),
      '/oauth/token': oauthPath(ref),
      ...healthPaths(ref),
    }),
    components: { securitySchemes, schemas: compile(codecs, partOf, place, leavesOfRequests).definitions },
  }
}
