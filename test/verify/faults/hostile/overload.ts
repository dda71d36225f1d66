import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { send } from '../../../bridge/ingress/harness.ts'
import { sample } from '../../../support/samples.ts'

const ticksPerSecond = 20
const refused = '429 with Retry-After'
const expected = new Set(['200', refused, '503 with Retry-After'])

/**
 * Sends an account a multiple of its limit for some seconds and ignores the responses. Wrong are: a request that is
 * neither accepted nor refused (429 and Retry-After, or 503 and Retry-After if nothing was durable in time), and more
 * accepted requests than the limit allows.
 */
export const overload = async (port: number, token: string, perSecond: number, times: number, seconds: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const answers = new Map<string, number>()
  const body = sample('bot-api', 'CLIENT_MESSAGE')
  const began = performance.now()
  const one = async () => {
    const reply = await send(port, `/bot/${token}`, { body, agent }).catch(() => undefined)
    const retryAfter = Number(reply?.headers['retry-after']) >= 1 ? ' with Retry-After' : ''
    const answer = reply === undefined ? 'no answer' : `${reply.status}${retryAfter}`
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  const sent: Array<Promise<void>> = []
  for (let tick = 0; tick < seconds * ticksPerSecond; tick++) {
    for (let n = 0; n < (perSecond * times) / ticksPerSecond; n++) sent.push(one())
    await wait(1000 / ticksPerSecond)
  }
  await Promise.all(sent)
  agent.destroy()
  // A window of the limit may begin at any time, so there can be one more window than started seconds.
  const windows = Math.ceil((performance.now() - began) / 1000) + 1
  const taken = answers.get('200') ?? 0
  return {
    told: [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', '),
    wrong: [
      ...[...answers.keys()].filter((answer) => !expected.has(answer)),
      ...(taken > windows * perSecond ? [`${taken} taken in ${windows} windows of ${perSecond}`] : []),
      ...(answers.has(refused) ? [] : ['nothing is refused']),
    ],
  }
}
