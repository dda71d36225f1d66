import { stringify } from 'yaml'
import { asyncapi } from './asyncapi/document.ts'
import { eventsPage } from './events-page.ts'
import type { PartOf } from './json-schema.ts'
import { bridgeOpenapi } from './openapi/bridge.ts'
import { serviceOpenapi } from './openapi/service.ts'
import type { Samples } from './read-samples.ts'
import type { JsonObject } from './schema.ts'
import { schemaDocuments } from './schema-files.ts'
import { publishedTopics } from './topics-file.ts'

const yaml = (document: JsonObject): string =>
  `# Generated from contracts/ by \`npm run contracts\`: change the codecs, not this file.\n${stringify(document, {
    lineWidth: 0,
    compat: 'yaml-1.1',
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
  })}`

const json = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`

/** Everything that is published: the text of each file by its path in contracts/published/. Pure. */
export const publishedFiles = (
  partOf: PartOf,
  samples: { readonly webhooks: Samples; readonly bot: Samples },
): ReadonlyMap<string, string> =>
  new Map([
    ['asyncapi.yaml', yaml(asyncapi(partOf))],
    ['openapi.yaml', yaml(bridgeOpenapi(partOf, samples))],
    ['openapi-service.yaml', yaml(serviceOpenapi(partOf))],
    ['events.md', eventsPage(partOf)],
    ['topics.json', json(publishedTopics())],
    ...[...schemaDocuments(partOf)].map(([name, schema]) => [`schemas/${name}.json`, json(schema)] as const),
  ])
