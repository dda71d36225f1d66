import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import fc from 'fast-check'
import { limits } from '../../../../src/bridge/http/limits.ts'
import { send } from '../../../bridge/ingress/harness.ts'
import { samples } from '../../../support/samples.ts'
import { surprises } from '../../../tools/publishing/documented.ts'
import { type Hostile, hostile } from './bodies.ts'

/** The statuses that the published OpenAPI documents and are the sender's fault. */
const refusals = new Set([400, 401, 405, 413, 415])
/** Nothing was durable in time: the body is sent again, as the service does, and may be stored twice. */
const busy = 503

const known = new Set(samples('webhooks', 'accepted').map(({ value }) => Object(value).event_name))

export const digestOf = (bytes: Uint8Array | null) =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('base64url')

/** How much the bridge keeps of a body that is too large. */
const headBytes = 64 * 1024

/** Whether a body must be in quarantine: the bridge did not understand it, and knows its account. */
const isKept = ({ api, body, token }: Hostile, status: number): boolean => {
  if (token === 'unknown') return false
  if (status !== 200) return true
  return api === 'webhooks' && !known.has(JSON.parse(new TextDecoder().decode(body)).event_name)
}

/** Sends hostile requests to a port, several at a time. Reports the responses that are never allowed. */
export const attack = (port: number, tokens: Readonly<Record<Hostile['api'], string>>, seed: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const answers = new Map<number, number>()
  const wrong: string[] = []
  /** How often each body must be in quarantine, and how many more times it may be. */
  const kept = new Map<string, { readonly least: number; readonly more: number }>()
  const keep = (body: Buffer, times: 'least' | 'more') => {
    const name = digestOf(body.length > limits.bodyBytes ? body.subarray(0, headBytes) : body)
    const before = kept.get(name) ?? { least: 0, more: 0 }
    kept.set(name, { ...before, [times]: before[times] + 1 })
  }

  const one = async (each: Hostile): Promise<void> => {
    const { api, body, headers, token } = each
    const path = `/${api}/${token === 'known' ? tokens[api] : 'token-of-nobody-at-all'}`
    const reply = await send(port, path, { body, headers, agent }).catch((error: NodeJS.ErrnoException) => error)
    if (reply instanceof Error) {
      wrong.push(`no answer (${reply.code}) to ${body.toString('base64').slice(0, 80)}`)
      return undefined
    }
    const { status } = reply
    answers.set(status, (answers.get(status) ?? 0) + 1)
    const unexpected = [
      ...(status === 200 || status === busy || refusals.has(status) ? [] : [`status ${status}`]),
      ...surprises(`/${api}/{token}`, reply),
    ]
    if (unexpected.length > 0) wrong.push(`${unexpected.join(', ')} to ${body.toString('base64').slice(0, 80)}`)
    if (status === busy) {
      keep(body, 'more')
      return one(each)
    }
    if (isKept(each, status)) keep(body, 'least')
    return undefined
  }

  let rounds = 0
  return {
    answers,
    wrong,
    kept,
    send: async (count: number) => {
      const perRound = 500
      for (let left = count; left > 0; left -= perRound) {
        const batch = fc.sample(hostile, { numRuns: Math.min(left, perRound), seed: seed + rounds++ })
        await Promise.all(batch.map(one))
      }
    },
    stop: () => agent.destroy(),
  }
}
export type Attack = ReturnType<typeof attack>
