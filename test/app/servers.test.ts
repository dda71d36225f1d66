import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { useProxy } from '../../src/app/servers.ts'
import { postToService } from '../../src/bridge/egress/delivery/post.ts'
import { newAuthority } from '../bridge/security/certificates.ts'
import { right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'

const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const authority = await newAuthority(temporaryFolder(), 'company')
const service = createTlsServer(await authority.forLocalhost('service'), (_, res) => res.end('by TLS'))
const plain = createServer((_, res) => res.end('in the clear'))
const [servicePort, plainPort] = [await listening(service), await listening(plain)]

const tunnels: Array<string | undefined> = []
const proxy = createServer().on('connect', (req, socket) => {
  tunnels.push(req.url)
  const there = connect(servicePort, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    there.pipe(socket).pipe(there)
  })
})
const url = `http://127.0.0.1:${await listening(proxy)}`

const proxied = suite('calls through a proxy')
const before = getGlobalDispatcher()
const authorities = getCACertificates()

proxied.before(() => setDefaultCACertificates([...authorities, authority.own.cert]))
proxied.before.each(() => void tunnels.splice(0))

const bodyOf = async (address: string) =>
  right(await postToService({ url: address, headers: {}, body: '{}' }, 5_000)).body

proxied('what is called over HTTPS goes through it, with the authority of the machine, and HTTP does not', async () => {
  await useProxy({ url, without: '' })
  // Replies, and the client of OpenID Connect and tokens.
  assert.is(await bodyOf(`https://localhost:${servicePort}/`), 'by TLS')
  assert.is(await (await fetch(`https://localhost:${servicePort}/`)).text(), 'by TLS')
  assert.ok(tunnels.length > 0)
  assert.equal(new Set(tunnels), new Set([`localhost:${servicePort}`]))
  assert.is(await bodyOf(`http://127.0.0.1:${plainPort}/`), 'in the clear')
})

proxied('the hosts of NO_PROXY are called without it', async () => {
  await useProxy({ url, without: 'other.example, localhost' })
  assert.is(await bodyOf(`https://localhost:${servicePort}/`), 'by TLS')
  assert.equal(tunnels, [])
})

proxied.after(async () => {
  setGlobalDispatcher(before)
  setDefaultCACertificates(authorities)
  for (const server of [service, plain, proxy]) {
    server.close()
    server.closeAllConnections()
  }
})

proxied.run()
