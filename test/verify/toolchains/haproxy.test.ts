import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readNetworks } from '../../../src/bridge/http/client-address.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { start } from '../../bridge/ingress/harness.ts'
import { text } from '../../docker/given-files.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { debianPackage } from './fetched.ts'

const balancer = suite('docker/haproxy.cfg, with a real HAProxy')
const skipped = await debianPackage('haproxy', 'haproxy', ['-v'])
if (skipped !== undefined) console.log(`HAProxy is skipped: ${skipped}`)
const test = skipped === undefined ? balancer : balancer.skip

/** HAProxy with docker/haproxy.cfg, but on loopback and in front of this one ingress. */
const startBalancer = async (ingress: number) => {
  const port = await anyFree()
  const file = join(temporaryFolder(), 'haproxy.cfg')
  const config = text('docker/haproxy.cfg')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/ingress-\d:8080/g, `127.0.0.1:${ingress}`)
  writeFileSync(file, config)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const ended = once(child, 'close').finally(() => process.off('exit', killWithParent))
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Posts a webhook from `localAddress`, with `claimed` in X-Forwarded-For. Returns the status; 0 without an answer. */
const post = (port: number, token: string, localAddress: string, claimed: string): Promise<number> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': claimed }
    const options = { host: '127.0.0.1', port, localAddress, path: `/webhooks/${token}`, method: 'POST', headers }
    const sent = request({ ...options, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', () => resolve(0))
    sent.end('{"event_name":"unknown"}')
  })

test('an attacker who guesses tokens is refused, with any claimed address, and other clients are not', async () => {
  const [stranger, client] = ['127.0.0.2', '127.0.0.3']
  const still = { sleep: async () => {}, monotonic: () => 0 }
  const ingress = await start({ trustedProxies: right(readNetworks('127.0.0.1')), ...still })
  const { port, stop } = await startBalancer(ingress.port)
  const fromClient = (claimed: string) => post(port, 'webhooks-token-acme', client, claimed)
  await eventually('the balancer', async () => (await fromClient('')) === 200 || undefined)

  const guesses = Array.from({ length: 150 }, (_, i) => post(port, `guess-${i}`, stranger, `${client}, 10.0.0.${i}`))
  await Promise.all(guesses)
  const after = [await post(port, 'guess', stranger, client), await fromClient(''), await fromClient(stranger)]
  await Promise.all([stop(), ingress.stop()])

  assert.equal(after, [429, 200, 200])
})

balancer.run()
