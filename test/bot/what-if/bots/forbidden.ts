import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { text } from '../../../../src/bot/index.ts'

const codeOf = (error: unknown): string => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code ?? 'error'
}
const tried = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'allowed'
  } catch (error) {
    return codeOf(error)
  }
}
const connected = (port: number) =>
  new Promise((resolve, reject) => connect(port, '127.0.0.1').once('connect', resolve).once('error', reject))
const sent = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = createSocket('udp4').once('error', reject)
    socket.send('x', port, '127.0.0.1', (error) => (error ? reject(error) : resolve()))
  })

/** Tries to leave its process in every way that the message does not forbid, to the port that the message names. */
export default {
  onMessage: async ({ data: { message } }: { data: { message: { text?: string } } }) => {
    const port = Number(message.text)
    const results = await Promise.all([
      tried(() => connected(port)),
      tried(() => fetch(`http://127.0.0.1:${port}/`)),
      tried(() => sent(port)),
      tried(() => lookup('localhost')),
      tried(() => execFileSync('true')),
      tried(() => new Worker('', { eval: true })),
      tried(() => writeFileSync(new URL('written-by-a-bot', import.meta.url), '')),
    ])
    return text(results.join(' '))
  },
}
