import { Liveness, Readiness } from '../../../contracts/http.ts'
import type { JsonObject } from '../schema.ts'
import { jsonBody, type Ref, textSchema } from './parts.ts'
import { getOnly } from './refusals.ts'

const checks = {
  kafka: { ok: true, reason: 'connected' },
  mongodb: { ok: false, reason: 'no answer in time' },
}

const page = (operationId: string, summary: string, responses: JsonObject, ref: Ref): JsonObject => ({
  get: { operationId, tags: ['Operation'], summary, security: [], responses: { ...responses, ...getOnly(ref) } },
})

/** Liveness, readiness and metrics. */
export const healthPaths = (ref: Ref): JsonObject => ({
  '/livez': page(
    'liveness',
    'Whether the process runs',
    { 200: { description: 'It does.', content: jsonBody(ref(Liveness), { alive: { alive: true } }) } },
    ref,
  ),
  '/readyz': page(
    'readiness',
    'Whether requests can be served, and the state of each dependency',
    {
      200: {
        description: 'They can.',
        content: jsonBody(ref(Readiness), { ready: { ready: true, checks: { kafka: checks.kafka } } }),
      },
      503: {
        description: 'They cannot: the reasons say why.',
        content: jsonBody(ref(Readiness), { unready: { ready: false, checks } }),
      },
    },
    ref,
  ),
  '/metrics': page(
    'metrics',
    'Measurements for Prometheus',
    { 200: { description: 'In the text format 0.0.4.', content: { 'text/plain': { schema: textSchema } } } },
    ref,
  ),
})
