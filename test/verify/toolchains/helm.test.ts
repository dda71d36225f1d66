// An operator installs the chart: it is linted and rendered by Helm, and checked against Kubernetes' own schemas.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { readConfig } from '../../../src/app/config.ts'
import { consumerGroups } from '../../../src/app/consumer-groups.ts'
import { roles } from '../../../src/bridge/domain/roles.ts'
import { urlProblems } from '../../../src/bridge/mongo/url.ts'
import { madeSecrets, text, type Yaml } from '../../docker/given-files.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { root } from '../../support/outcome.ts'
import { goModule, goProgram, pythonPackage } from './fetched.ts'

const kubernetesVersion = '1.34.0'
const fetched = [
  await goProgram('helm.sh/helm/v4/cmd/helm', 'v4.3.1'),
  await goProgram('github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'),
  await goModule('github.com/kedacore/keda/v2', 'v2.21.0'),
  await pythonPackage('kubernetes-validate', '1.37.0'),
]
const problems = fetched.flatMap((each) => (E.isLeft(each) ? [each.left.message] : []))
for (const problem of problems) console.log(`skipped: the chart: ${problem}`)
const [helm = '', kubeconform = '', keda = '', schemas = ''] = fetched.map(E.getOrElse(() => ''))

const chart = join(root, 'docker/helm')
const folder = temporaryFolder()

/** What Helm renders with these values besides the chart's own. */
const rendered = (values: object = {}): string => {
  const file = join(folder, 'values.yaml')
  writeFileSync(file, stringify(values))
  return execFileSync(helm, ['template', 'livechat', chart, '--namespace', 'livechat', '--values', file], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
}
const objectsOf = (manifests: string): ReadonlyArray<Yaml> =>
  parseAllDocuments(manifests).flatMap((document) => document.toJS() ?? [])

const withConsole = { enabled: true, url: 'https://chats.example.com', issuer: 'https://identity.example.com' }

/** Every option that adds an object. */
const everything = {
  console: withConsole,
  scaling: { enabled: true, authentication: 'kafka' },
  ingress: { journal: { storageClassName: 'fast' } },
}

const test = suite('docker/helm')
const needsHelm = problems.length === 0 ? test : test.skip

/** Kubernetes' schemas, with references between files instead of addresses on the internet. */
const schemaFolder = () => {
  const [from, to] = [
    join(schemas, `kubernetes_validate/kubernetes-json-schema/v${kubernetesVersion}-local-strict`),
    join(folder, 'schemas'),
  ]
  mkdirSync(to, { recursive: true })
  for (const name of globSync('{_definitions,*-v1,*-v2}.json', { cwd: from })) {
    const { $id, ...schema } = JSON.parse(readFileSync(join(from, name), 'utf8'))
    writeFileSync(join(to, name), JSON.stringify(schema).replaceAll('/api/_definitions.json', '_definitions.json'))
  }
  return to
}
const location = problems.length === 0 ? join(schemaFolder(), '{{.ResourceKind}}{{.KindSuffix}}.json') : ''

/** Whether Kubernetes accepts it: unknown fields and wrong types are mistakes. KEDA's objects are checked below. */
const kubeconformOf = (manifests: string) => {
  const options = ['-strict', '-summary', '-skip', 'ScaledObject', '-schema-location', location, '-']
  const { status, stdout } = spawnSync(kubeconform, options, { input: manifests, encoding: 'utf8' })
  return { status, stdout }
}

/** `my-values.yaml` of the chart's README. */
const ofReadme = parse(/^ *```yaml\n(.*?)^ *```$/ms.exec(text('docker/helm/README.md'))?.[1] ?? '')

const openShift = {
  host: '::',
  user: null,
  settings: { KAFKA_BROKERS: '[fd00::10]:9092', TRUSTED_PROXIES: 'fd00::/8' },
  image: { pullSecrets: ['registry'] },
  ingress: { journal: { storageClassName: 'standard', accessMode: 'ReadWriteOnce' } },
  projector: {
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'only', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
  },
}

/** Kafka of a provider, with OAuth clients, and an image from a registry with a password. */
const managed = {
  image: { repository: 'registry.example.com/team/livechat-bridge', tag: '0.1.0-1', pullSecrets: ['registry'] },
  settings: {
    KAFKA_BROKERS: 'pkc-1.example.com:9092',
    KAFKA_SSL: 'true',
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    KAFKA_SASL_OAUTH_TOKEN_URL: 'https://login.example.com/token',
    KAFKA_SASL_OAUTH_CLIENT_ID: 'livechat-bridge',
    KAFKA_SASL_OAUTH_CLIENT_SECRET_FILE: '/run/secrets/livechat-bridge/kafka-client-secret',
    NODE_EXTRA_CA_CERTS: '/run/secrets/livechat-bridge/authority.pem',
  },
  secrets: { bridge: 'bridge', archive: 'archive', console: 'console' },
}

/** One process of each role, on nodes with any volume, without network policies. */
const small = {
  ...Object.fromEntries(roles.map((role) => [role, { replicas: 1 }])),
  ingress: { replicas: 1, journal: { size: '1Gi', accessMode: 'ReadWriteOnce' } },
  networkPolicy: { enabled: false },
}

for (const [title, values] of [
  ['as it is', {}],
  ['with the values of its README', ofReadme],
  ['with every option', everything],
  ['for OpenShift with IPv6', openShift],
  ['with a managed Kafka and a registry of its own', managed],
  ['with one process of each role', small],
] as const)
  needsHelm(`the chart ${title} passes helm lint and Kubernetes' schemas`, () => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(values))
    execFileSync(helm, ['lint', '--strict', chart, '--values', file], { stdio: 'pipe' })
    const { status, stdout } = kubeconformOf(rendered(values))
    assert.is(status, 0, stdout)
    assert.match(stdout, /Valid: [1-9]\d*, Invalid: 0, Errors: 0/)
  })

needsHelm('pods listen on IPv6, and the platform chooses the user, the nodes and the volumes', () => {
  const objects = objectsOf(rendered(openShift))
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap')
  assert.equal([data.HTTP_HOST, data.ADMIN_HOST], ['::', '::'])
  const specs = objects.flatMap(({ kind, spec }) => (kind === 'Deployment' || kind === 'StatefulSet' ? [spec] : []))
  for (const { template } of specs) {
    const { securityContext, imagePullSecrets, enableServiceLinks } = template.spec
    assert.equal(
      [securityContext, imagePullSecrets, enableServiceLinks],
      [{ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, [{ name: 'registry' }], false],
    )
  }
  const [claim] = specs.flatMap(({ volumeClaimTemplates = [] }) => volumeClaimTemplates)
  assert.equal([claim.spec.accessModes, claim.spec.storageClassName], [['ReadWriteOnce'], 'standard'])
})

for (const role of roles)
  needsHelm(`the nodes and the resources of ${role} are those of its pods alone`, () => {
    const given = {
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'only', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      resources: { requests: { cpu: '3', memory: '1Gi' }, limits: { memory: '3Gi' } },
    }
    const consoleToo = { console: { ...withConsole, ...(role === 'console' && given) } }
    const placed = objectsOf(rendered({ [role]: given, ...consoleToo }))
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map(({ spec: { template } }) => template.spec)
      .filter(({ nodeSelector }) => nodeSelector !== undefined)
      .map(({ nodeSelector, tolerations, affinity, containers: [{ args, resources }] }) => [
        args[2],
        { nodeSelector, tolerations, affinity, resources },
      ])
    assert.equal(placed, [[role, given]])
  })

for (const role of roles)
  needsHelm(`a misspelt key below ${role} is refused`, () => {
    assert.throws(() => rendered({ [role]: { replica: 5 } }), /replica/)
  })

needsHelm('the schemas refuse a field that Kubernetes does not know', () => {
  const misspelt = rendered().replace('terminationGracePeriodSeconds', 'terminationGracePeriodSecond')
  assert.is(kubeconformOf(misspelt).status, 1)
})

needsHelm('each role has its workload, its budget and the pods that its selectors mean', () => {
  const objects = objectsOf(rendered(everything))
  const ofKind = (...kinds: ReadonlyArray<string>) => objects.filter(({ kind }) => kinds.includes(kind))
  const fits = (selector: Yaml, labels: Yaml) => Object.entries(selector).every(([key, value]) => labels[key] === value)
  const workloads = ofKind('Deployment', 'StatefulSet')
  const podsOf = ({ spec }: Yaml) => spec.template.metadata.labels
  const selected = (selector: Yaml) =>
    workloads.filter((each) => fits(selector, podsOf(each))).map((each) => podsOf(each)['app.kubernetes.io/component'])
  assert.equal(workloads.map(({ spec }) => spec.template.spec.containers[0].args[2]).sort(), [...roles].sort())
  for (const each of workloads) assert.is(selected(each.spec.selector.matchLabels).length, 1)
  assert.equal(
    ofKind('PodDisruptionBudget')
      .flatMap(({ spec }) => selected(spec.selector.matchLabels))
      .sort(),
    [...roles].sort(),
  )
  assert.equal(
    ofKind('Service')
      .map(({ metadata, spec }) => [metadata.name, selected(spec.selector), spec.ports[0].targetPort])
      .sort(),
    [
      ['livechat', ['ingress'], 'http'],
      ['livechat-console', ['console'], 'operators'],
      ['livechat-ingress', ['ingress'], 'http'],
    ],
  )
})

needsHelm('the settings are valid, with the secrets at their paths in the pods', () => {
  const objects = objectsOf(rendered(everything))
  const { readFile } = madeSecrets()
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap')
  for (const { spec, kind } of objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')) {
    const { volumes, containers, securityContext, automountServiceAccountToken } = spec.template.spec
    const [{ args, env = [], volumeMounts, ...container }] = containers
    const own = Object.fromEntries(env.map(({ name, value }: Yaml) => [name, value]))
    const config = readConfig({ ...data, ...own }, readFile, urlProblems)
    assert.ok(E.isRight(config), JSON.stringify(config))
    const secrets = volumes.flatMap(({ secret }: Yaml) => secret?.secretName ?? [])
    const others = { archiver: ['livechat-archive'], console: ['livechat-console'] }
    assert.equal(secrets, ['livechat-bridge', ...(others[args[2] as keyof typeof others] ?? [])])
    for (const path of Object.values<string>({ ...data, ...own }).filter((value) => value.startsWith('/run/secrets/')))
      assert.ok(
        volumeMounts.some(({ mountPath }: Yaml) => path.startsWith(`${mountPath}/`)),
        path,
      )
    assert.equal(
      [securityContext.runAsNonRoot, securityContext.runAsUser, automountServiceAccountToken],
      [true, 65532, false],
    )
    assert.equal(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(
      volumeMounts.filter(({ readOnly }: Yaml) => readOnly !== true).map(({ mountPath }: Yaml) => mountPath),
      ['/data'],
    )
    const probes = [container.livenessProbe, container.startupProbe, container.readinessProbe]
    assert.equal(
      probes.map(({ httpGet }) => httpGet.path),
      ['/livez', '/livez', '/readyz'],
    )
    const drainsWithin = 10 + (container.lifecycle?.preStop.sleep.seconds ?? 0)
    assert.ok(spec.template.spec.terminationGracePeriodSeconds >= 2 * drainsWithin)
    const { version } = JSON.parse(text('package.json'))
    assert.is(container.image, `livechat-bridge:${version}`)
    if (kind === 'StatefulSet') {
      assert.equal(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' })
      assert.is(spec.volumeClaimTemplates[0].spec.storageClassName, 'fast')
    }
  }
})

needsHelm('KEDA scales on the lag of topics that the groups read, to as many as there are partitions', () => {
  const definition = parse(readFileSync(join(keda, 'config/crd/bases/keda.sh_scaledobjects.yaml'), 'utf8'))
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    definition.spec.versions[0].schema.openAPIV3Schema,
  )
  const scalers = objectsOf(rendered(everything)).filter(({ kind }) => kind === 'ScaledObject')
  assert.equal(
    scalers.map(({ spec }) => spec.scaleTargetRef.name),
    ['livechat-projector', 'livechat-egress'],
  )
  for (const scaler of scalers) {
    validate(scaler)
    assert.is(validate.errors, null)
    assert.is(scaler.spec.maxReplicaCount, 12)
    for (const { metadata, authenticationRef } of scaler.spec.triggers) {
      const group = consumerGroups.find((each) => `livechat.${each.group}` === metadata.consumerGroup)
      assert.ok(
        group?.topics.some((topic) => `livechat.${topic}` === metadata.topic),
        metadata.topic,
      )
      assert.equal([metadata.ensureEvenDistributionOfPartitions, authenticationRef], ['true', { name: 'kafka' }])
    }
  }
  const fixed = objectsOf(rendered()).filter(({ kind }) => kind === 'Deployment')
  assert.equal(
    fixed.map(({ spec }) => spec.replicas),
    [2, 2, 2],
  )
})

needsHelm('a network policy that names no namespace admits nobody', () => {
  const policies = (values: object) => objectsOf(rendered(values)).filter(({ kind }) => kind === 'NetworkPolicy')
  for (const { spec } of policies({ networkPolicy: { monitoring: [], proxies: [] } })) {
    assert.equal(spec.policyTypes, ['Ingress'])
    assert.is(spec.ingress, undefined)
  }
  for (const { spec } of policies(everything)) assert.ok(spec.ingress[0].from.length > 0)
  assert.equal(policies({ networkPolicy: { enabled: false } }), [])
})

const refused: ReadonlyArray<readonly [title: string, values: object, says: RegExp]> = [
  ['an unknown key', { replicas: 3 }, /replicas/],
  ['a number where a variable needs text', { settings: { TOPIC_PARTITIONS: 12 } }, /TOPIC_PARTITIONS/],
  ['a secret among the settings', { settings: { MONGODB_URL: 'mongodb://u:p@host' } }, /MONGODB_URL/],
  ['a console without its addresses', { console: { enabled: true } }, /^(?=.*\/console\/url)(?=.*\/console\/issuer)/s],
  ['no instance of egress', { egress: { replicas: 0 } }, /replicas/],
]
for (const [title, values, says] of refused)
  needsHelm(`the chart refuses ${title}`, () => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(values))
    const { status, stderr } = spawnSync(helm, ['template', 'livechat', chart, '--values', file], { encoding: 'utf8' })
    assert.is(status, 1)
    assert.match(stderr, says)
    assert.not.match(stderr, 'u:p@')
  })

test('the chart has the version of the package', () => {
  const { version } = JSON.parse(text('package.json'))
  const { version: ofChart, appVersion } = parse(text('docker/helm/Chart.yaml'))
  assert.equal([ofChart, appVersion], [version, version])
})

test.run()
