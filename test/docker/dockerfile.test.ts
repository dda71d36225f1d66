import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { variables } from '../../src/app/environment.ts'
import { root } from '../support/outcome.ts'
import { text } from './given-files.ts'

type Instruction = { readonly name: string; readonly rest: string }

const instructions = text('docker/Dockerfile')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Instruction => {
    const [name = '', ...rest] = line.split(' ')
    return { name, rest: rest.join(' ') }
  })
const fromAt = instructions.flatMap(({ name }, i) => (name === 'FROM' ? [i] : []))
const [preamble, build, final] = [
  instructions.slice(0, fromAt[0]),
  instructions.slice(fromAt[0], fromAt[1]),
  instructions.slice(fromAt[1]),
]
const of = (stage: ReadonlyArray<Instruction>, name: string) =>
  stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest)

const dockerfile = suite('docker/Dockerfile')
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

dockerfile('its base images are arguments with a tag, and Node has the version of package.json', () => {
  const { node } = JSON.parse(text('package.json')).dependencies
  assert.equal(of(preamble, 'ARG'), [
    `NODE_IMAGE=node:${node}-bookworm-slim`,
    'BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot',
  ])
  assert.equal(of(instructions, 'FROM'), [`\${NODE_IMAGE} AS build`, `\${BASE_IMAGE}`])
})

dockerfile('it installs production dependencies only, and runs no script of a package', () => {
  assert.match(of(build, 'RUN')[0] ?? '', /^npm ci --omit=dev --ignore-scripts /)
})

dockerfile('an engine without BuildKit builds it', () => {
  const newer = instructions.filter(({ name, rest }) => {
    const flags = rest.split(' ').filter((word) => word.startsWith('--'))
    if (name === 'RUN') return /^--(mount|network|security)/.test(rest)
    return ['COPY', 'ADD'].includes(name) && flags.some((flag) => !/^--(from|chown)=/.test(flag))
  })
  assert.equal(newer, [])
})

for (const [adminHost, listens] of [
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['::1', '::1'],
] as const)
  (hasIpv6 ? dockerfile : dockerfile.skip)(
    `its health check asks ${listens} if ADMIN_HOST is "${adminHost}"`,
    async () => {
      const asked: Array<string | undefined> = []
      const server = createServer((req, res) => {
        asked.push(req.url)
        res.end('{}')
      })
      await once(server.listen(0, listens), 'listening')
      const { port } = server.address() as AddressInfo
      const env = { ...process.env, ADMIN_HOST: adminHost, ADMIN_PORT: String(port) }
      const [code] = await once(spawn(process.execPath, ['docker/health.ts', '/readyz'], { cwd: root, env }), 'exit')
      server.close()
      assert.equal([code, asked], [0, ['/readyz']])
    },
  )

dockerfile('it runs as the user nobody, and drains on SIGTERM', () => {
  assert.equal(of(final, 'USER'), ['65532:65532'])
  assert.equal(of(final, 'STOPSIGNAL'), ['SIGTERM'])
  assert.equal(of(final, 'RUN'), [])
  // A shell in between would not forward the signal.
  assert.equal(of(final, 'ENTRYPOINT'), [
    '["node", "--no-memory-reducer", "--max-semi-space-size=16", "--disable-warning=ExperimentalWarning", "src/app/cli.ts"]',
  ])
  assert.match(of(final, 'HEALTHCHECK')[0] ?? '', /CMD \["node", "docker\/health\.ts"\]$/)
})

dockerfile('the variables that it sets are the bridge’s or Node’s', () => {
  const names = of(final, 'ENV').flatMap((rest) => [...rest.matchAll(/(\w+)=/g)].map(([, name = '']) => name))
  const known = new Set([...Object.keys(variables), 'NODE_ENV', 'NODE_COMPILE_CACHE'])
  assert.equal(
    names.filter((name) => !known.has(name)),
    [],
  )
})

dockerfile('the copied files exist, and .dockerignore does not exclude them', () => {
  const ignore = text('.dockerignore').split('\n')
  const sources = of(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1))
  assert.equal(
    sources.filter((source) => !existsSync(join(root, source)) || !ignore.includes(`!${source}`)),
    [],
  )
})

dockerfile.run()
