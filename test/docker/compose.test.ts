import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readConfig } from '../../src/app/config.ts'
import { variables } from '../../src/app/environment.ts'
import { readKeys } from '../../src/bridge/archive/key-file.ts'
import { roles } from '../../src/bridge/domain/roles.ts'
import { urlProblems } from '../../src/bridge/mongo/url.ts'
import { temporaryFolder } from '../support/folder.ts'
import { root } from '../support/outcome.ts'
import { composeCommand, compose as runCompose } from './compose-command.ts'
import { composeFile, madeSecrets, text, type Yaml } from './given-files.ts'

const files = ['compose.yaml', 'compose.dev.yaml']
const cluster = composeFile('compose.yaml')
const secrets = madeSecrets()

const services = ({ services: all }: Yaml): ReadonlyArray<readonly [name: string, service: Yaml]> => Object.entries(all)
const isBridge = ({ command = [] }: Yaml) => command[0] === 'start'
const bridges = (file: Yaml) => services(file).filter(([, service]) => isBridge(service))
const roleOf = ({ command }: Yaml) => command[2]
const countOf = (prefix: string) => services(cluster).filter(([name]) => name.startsWith(`${prefix}-`)).length

const compose = suite('the compose files')

compose('the cluster has three brokers, three mongods, two instances of each role and one published port', () => {
  assert.equal([countOf('kafka'), countOf('mongo') - 1], [3, 3])
  for (const role of roles)
    assert.is(bridges(cluster).filter(([, service]) => roleOf(service) === role).length, role === 'console' ? 1 : 2)
  assert.equal(
    services(cluster).flatMap(([name, { ports = [], profiles }]) =>
      (profiles ? [] : ports).map((port: string) => [name, port]),
    ),
    [['http', '127.0.0.1:8080:8080']],
  )
})

compose('ingress trusts client addresses from the load balancer, and from no other container', () => {
  const [{ subnet, gateway, ip_range }] = cluster.networks.default.ipam.config
  const { ipv4_address } = cluster.services.http.networks.default
  for (const [name, { environment }] of bridges(cluster)) assert.is(environment.TRUSTED_PROXIES, ipv4_address, name)
  const isIn = (network: string, address: string) => {
    const [start = '', bits] = network.split('/')
    const list = new BlockList()
    list.addSubnet(start, Number(bits))
    return list.check(address)
  }
  const places = [ipv4_address, gateway].map((address) => [isIn(subnet, address), isIn(ip_range, address)])
  assert.equal(places, [
    [true, false],
    [true, false],
  ])
})

compose('the profile observe scrapes every process of the bridge, and shows its dashboards on loopback', () => {
  const { prometheus, grafana } = cluster.services
  assert.equal(
    [prometheus.profiles, grafana.profiles, grafana.ports],
    [['observe'], ['observe'], ['127.0.0.1:3000:3000']],
  )
  const [scraped] = parse(text('docker/prometheus.yaml')).scrape_configs
  assert.is(scraped.job_name, 'livechat-bridge')
  assert.equal(
    scraped.static_configs[0].targets,
    bridges(cluster).flatMap(([name, { profiles }]) => (profiles ? [] : [`${name}:8081`])),
  )
  for (const [, { environment }] of bridges(cluster)) assert.is(environment.ADMIN_HOST, '0.0.0.0')
  const mounted = [...prometheus.volumes, ...grafana.volumes].map((volume: string) => volume.split(':')[0] ?? '')
  for (const path of mounted.filter((path) => path.startsWith('.')))
    assert.ok(existsSync(join(root, 'docker', path)), path)
})

compose('every dashboard lets its viewer choose the data source, so that each Grafana can import it', () => {
  const [{ type }] = parse(text('docker/grafana/provisioning/datasources/prometheus.yaml')).datasources
  const files = globSync(join(root, 'docker/grafana/dashboards/*.json'))
  assert.is(files.length, 5)
  for (const file of files) {
    const { panels, templating } = JSON.parse(readFileSync(file, 'utf8'))
    const [variable] = templating.list
    assert.equal([variable.name, variable.type, variable.query], ['datasource', 'datasource', type])
    for (const { datasource, targets } of panels)
      for (const source of [datasource, ...targets.map((target: Yaml) => target.datasource)])
        assert.equal(source, { type, uid: `$\{datasource}` }, file)
  }
})

compose('the loss of one broker loses no acknowledged record and refuses no request', () => {
  for (const n of [1, 2, 3]) {
    const { environment } = cluster.services[`kafka-${n}`]
    assert.equal(
      [environment.KAFKA_DEFAULT_REPLICATION_FACTOR, environment.KAFKA_MIN_INSYNC_REPLICAS, environment.KAFKA_NODE_ID],
      [3, 2, n],
    )
  }
  for (const [, { environment }] of bridges(cluster)) assert.is(environment.TOPIC_REPLICATION, 3)
})

compose('each ingress has its own volume for its journal', () => {
  const volumes = bridges(cluster).flatMap(([, { volumes = [] }]) => volumes)
  assert.equal(volumes, ['journal-1:/data', 'journal-2:/data'])
})

/** What an operator writes to docker/.env to use the console. */
const ofOperator: Readonly<Record<string, string>> = {
  CONSOLE_URL: 'https://console.example.com',
  CONSOLE_OIDC_ISSUER: 'https://login.example.com',
  CONSOLE_OIDC_CLIENT_ID: 'bridge',
}

for (const file of files) {
  const parsed = composeFile(file)

  compose(
    `${file}: every variable of the bridge exists, and the configuration is valid with the created secrets`,
    () => {
      const known = Object.keys(variables).flatMap((name) => [name, `${name}_FILE`])
      for (const [name, { environment }] of bridges(parsed)) {
        assert.equal(
          Object.keys(environment).filter((variable) => !known.includes(variable)),
          [],
          name,
        )
        const config = readConfig(
          Object.fromEntries(
            Object.entries(environment).map(([variable, value]) => [variable, String(value || ofOperator[variable])]),
          ),
          secrets.readFile,
          urlProblems,
        )
        assert.ok(E.isRight(config), `${name}: ${JSON.stringify(config)}`)
        assert.not.equal(
          [config.right.kafka, config.right.mongo, config.right.accounts],
          ['embedded', 'embedded', 'demo'],
        )
      }
    },
  )

  compose(`${file}: every secret is a file that make-secrets creates, and none is a variable`, () => {
    for (const { file: path } of Object.values<Yaml>(parsed.secrets)) {
      assert.match(path, /^\.\/secrets\//)
      assert.ok(secrets.names.includes(path.slice('./secrets/'.length)), path)
    }
    for (const [name, { environment = {} }] of services(parsed))
      for (const [variable, value] of Object.entries(environment))
        if (!variable.endsWith('_FILE'))
          assert.not.match(`${variable}=${value}`, /PASSWORD|TOKEN|SECRET|:\/\/[^/]*@/, `${name} ${variable}`)
    for (const [name, { secrets: used = [] }] of services(parsed))
      assert.equal(
        used.filter((secret: string) => !(secret in parsed.secrets)),
        [],
        name,
      )
  })

  compose(`${file}: only the archiver has the keys of the archive`, () => {
    for (const [name, service] of services(parsed)) {
      const { environment = {}, secrets: used = [] } = service
      const archives = isBridge(service) && roleOf(service) === 'archiver'
      assert.is(environment.ARCHIVE_KEY_FILE, archives ? '/run/secrets/archive-keys' : undefined, name)
      assert.is(used.includes('archive-keys'), archives, name)
    }
  })

  compose(`${file}: every image has a variable that selects it, and a default version`, () => {
    for (const [, , variable = '', image = ''] of text(`docker/${file}`).matchAll(
      /^( *)image: (?:\$\{(\w+):-(.+)\})?.*$/gm,
    )) {
      assert.match(variable, /^(KAFKA|MONGO|HAPROXY|BRIDGE|PROMETHEUS|GRAFANA)_IMAGE$/)
      assert.match(image, /^[\w./-]+:(v?\d+\.\d+[\w.-]*|local)$/)
    }
  })

  compose(`${file}: the bridge can write to /data and nowhere else, and has no privilege`, () => {
    for (const [name, service] of bridges(parsed)) {
      const { read_only, cap_drop, security_opt, tmpfs = [], volumes = [] } = service
      assert.equal([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name)
      assert.is(
        [...tmpfs, ...volumes].filter((place: string) => /^(\/data:|[\w-]+:\/data$)/.test(place)).length,
        1,
        name,
      )
    }
  })

  compose(`${file}: every service that others wait for has a health check`, () => {
    for (const [name, { depends_on = {} }] of services(parsed))
      for (const [other, { condition }] of Object.entries<Yaml>(depends_on)) {
        const { healthcheck, restart } = parsed.services[other]
        if (condition === 'service_healthy') assert.ok(Array.isArray(healthcheck.test), `${name} waits for ${other}`)
        else assert.equal([condition, restart], ['service_completed_successfully', 'on-failure'])
      }
  })
}

const command = await composeCommand()
if (command === undefined) console.log('skipped: there is no docker compose')
const withCommand = command === undefined ? compose.skip : compose

withCommand('the mounted files are in docker/, in any working directory', async () => {
  const resolved = await runCompose(command ?? [], 'livechat-test', {})('config')
  for (const file of ['mongo-set-up.ts', 'haproxy.cfg', 'secrets/accounts.json'])
    assert.ok(resolved.includes(join(root, 'docker', file)), file)
})

compose('git and the build of the image ignore the secrets', () => {
  assert.ok(text('.gitignore').split('\n').includes('docker/secrets/'))
  assert.is(
    text('.dockerignore')
      .split('\n')
      .find((line) => line !== '' && !line.startsWith('#')),
    '*',
  )
})

compose('make-secrets prints a curl command that matches the created accounts', () => {
  const accounts = E.getOrElse(() => '')(secrets.readFile('/run/secrets/accounts'))
  const [, token = ''] = /"token": "([^"]+)"/.exec(accounts) ?? []
  assert.ok(token.length >= 16 && secrets.said.includes(`http://localhost:8080/webhooks/${token}`))
})

compose('make-secrets creates a valid archive key, and keeps it when it runs again', () => {
  const folder = temporaryFolder()
  const made = () => {
    execFileSync(join(root, 'docker/make-secrets'), [folder])
    return readFileSync(join(folder, 'archive-keys.json'), 'utf8')
  }
  const keys = made()
  assert.ok(E.isRight(readKeys(keys)))
  assert.match(keys, /"k": "[\w-]{43}"/)
  assert.is(made(), keys)
})

compose.run()
