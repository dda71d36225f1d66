import { Ajv } from 'ajv'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readConfig } from '../../src/app/config.ts'
import { createMetrics } from '../../src/app/metrics.ts'
import { roles } from '../../src/app/roles.ts'
import { madeSecrets, manifests, text, type Yaml } from './given-files.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })
ajv.addSchema(JSON.parse(text('docker/kubernetes/schema.json')), 'kubernetes')
const schemas: Readonly<Record<string, string>> = {
  'apps/v1': 'apps.v1',
  'autoscaling/v2': 'autoscaling.v2',
  'policy/v1': 'policy.v1',
  v1: 'core.v1',
}
const mistakes = ({ apiVersion, kind, ...rest }: Yaml): unknown => {
  const validate = ajv.getSchema(`kubernetes#/$defs/io.k8s.api.${schemas[apiVersion]}.${kind}`)
  assert.ok(validate, `there is a schema for ${apiVersion} ${kind}`)
  return validate({ apiVersion, kind, ...rest }) ? [] : validate.errors
}

const ofKind = (...kinds: ReadonlyArray<string>): ReadonlyArray<Yaml> =>
  manifests.map(({ manifest }) => manifest).filter(({ kind }) => kinds.includes(kind))
const workloads = ofKind('Deployment', 'StatefulSet')
const dataOf = (name: string): Yaml => ofKind('ConfigMap').find(({ metadata }) => metadata.name === name).data
const data = dataOf('livechat-bridge')
const container = ({ spec }: Yaml) => spec.template.spec.containers[0]
const labelsOf = ({ spec }: Yaml) => spec.template.metadata.labels
const fits = (selector: Yaml, labels: Yaml) => Object.entries(selector).every(([name, value]) => labels[name] === value)

const kubernetes = suite('docker/kubernetes')

for (const { file, manifest } of manifests)
  kubernetes(`${file}: ${manifest.kind} ${manifest.metadata.name} matches the schema of Kubernetes`, () => {
    assert.equal(mistakes(manifest), [])
  })

kubernetes('the schemas refuse a field that Kubernetes does not know, at any depth', () => {
  const [workload] = workloads
  const misspelt = structuredClone(workload)
  misspelt.spec.template.spec.terminationGracePeriodSecond = 30
  assert.not.equal(mistakes(misspelt), [])
  const mistyped = structuredClone(workload)
  container(mistyped).readinessProbe.periodSeconds = 'five'
  assert.not.equal(mistakes(mistyped), [])
})

kubernetes('each role has its workload, and the selectors match its pods', () => {
  assert.equal(workloads.map((each) => container(each).args[2]).sort(), [...roles].sort())
  for (const each of workloads) assert.ok(fits(each.spec.selector.matchLabels, labelsOf(each)))
  const owners = workloads.map(labelsOf)
  for (const { spec } of ofKind('PodDisruptionBudget'))
    assert.is(owners.filter((labels) => fits(spec.selector.matchLabels, labels)).length, 1)
  assert.equal(
    Object.fromEntries(
      ofKind('Service').map(({ metadata, spec }) => [
        metadata.name,
        [
          ...owners
            .filter((labels) => fits(spec.selector, labels))
            .map((labels) => labels['app.kubernetes.io/component']),
          ...spec.ports.map(({ targetPort }: Yaml) => targetPort),
        ],
      ]),
    ),
    {
      'livechat-bridge': ['ingress', 'http'],
      'livechat-console': ['console', 'operators'],
      'livechat-ingress': ['ingress', 'http'],
    },
  )
  assert.is(ofKind('PodDisruptionBudget').length, roles.length)
})

kubernetes('the configuration is valid, with the secrets at their paths in the pods', () => {
  const { readFile } = madeSecrets()
  const config = readConfig(data, readFile)
  assert.ok(E.isRight(config), JSON.stringify(config))
  assert.not.equal(config.right.http.trustedProxies, [])
  for (const each of workloads) {
    const names = container(each).args[2] === 'console' ? ['livechat-bridge', 'livechat-console'] : ['livechat-bridge']
    assert.equal(
      container(each).envFrom,
      names.map((name) => ({ configMapRef: { name } })),
    )
    const { mountPath } = container(each).volumeMounts.find(({ name }: Yaml) => name === 'secrets')
    for (const path of [data.MONGODB_URL_FILE, data.BRIDGE_CONFIG]) assert.ok(path.startsWith(`${mountPath}/`))
  }
})

kubernetes('the console has an OpenID provider, and its secrets at the configured paths', () => {
  const config = readConfig({ ...data, ...dataOf('livechat-console') }, madeSecrets().readFile)
  assert.ok(E.isRight(config), JSON.stringify(config))
  const { origin, oidc, sessionKey = '' } = config.right.console
  assert.equal(
    [origin, oidc?.clientId, sessionKey.length > 31],
    ['https://chats.example.com', 'livechat-console', true],
  )
  const withSecret = workloads.filter((each) =>
    each.spec.template.spec.volumes.some(({ secret }: Yaml) => secret?.secretName === 'livechat-console'),
  )
  assert.equal(
    withSecret.map((each) => [container(each).args[2], container(each).volumeMounts.at(-1).mountPath]),
    [['console', '/run/secrets/livechat-console']],
  )
  for (const name of ['console-client-secret', 'console-session-key'])
    assert.match(text('docker/kubernetes/README.md'), `--from-file=${name}=docker/secrets/${name}`)
})

kubernetes('only the archiver has the Secret with the keys of the archive, at the configured path', () => {
  for (const each of workloads) {
    const { args, env = [], volumeMounts } = container(each)
    const archives = args[2] === 'archiver'
    const { volumes } = each.spec.template.spec
    const volume = volumes.find(({ secret }: Yaml) => secret?.secretName === 'livechat-archive')
    assert.is(volume !== undefined, archives)
    const mount = volumeMounts.find(({ name }: Yaml) => name === volume?.name)
    const path = `${mount?.mountPath}/archive-keys`
    assert.equal(env, archives ? [{ name: 'ARCHIVE_KEY_FILE', value: path }] : [])
  }
  assert.match(
    text('docker/kubernetes/README.md'),
    'generic livechat-archive --from-file=archive-keys=docker/secrets/archive-keys.json',
  )
})

kubernetes('no pod is root, writes outside /data, or can gain privileges', () => {
  for (const each of workloads) {
    const { securityContext, automountServiceAccountToken } = each.spec.template.spec
    assert.equal(
      [securityContext.runAsNonRoot, securityContext.runAsUser, automountServiceAccountToken],
      [true, 65532, false],
    )
    assert.equal(container(each).securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const writable = container(each).volumeMounts.filter(({ readOnly }: Yaml) => readOnly !== true)
    assert.equal(
      writable.map(({ mountPath }: Yaml) => mountPath),
      ['/data'],
    )
  }
})

kubernetes('the journal’s volume outlives its pod, the consumers’ folder does not', () => {
  const [ingress] = ofKind('StatefulSet') as [Yaml]
  assert.equal(
    ingress.spec.volumeClaimTemplates.map(({ metadata }: Yaml) => metadata.name),
    ['journal'],
  )
  assert.equal(ingress.spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' })
})

kubernetes('the outage of a dependency restarts no pod, and a pod has enough time to stop', () => {
  for (const each of workloads) {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container(each)
    assert.equal(
      [livenessProbe, startupProbe, readinessProbe].map(({ httpGet }) => httpGet.path),
      ['/livez', '/livez', '/readyz'],
    )
    const { containerPort } = container(each).ports.find(({ name }: Yaml) => name === readinessProbe.httpGet.port)
    const { annotations } = each.spec.template.metadata
    assert.equal(
      [String(containerPort), annotations['prometheus.io/port'], data.ADMIN_HOST],
      [data.ADMIN_PORT, data.ADMIN_PORT, '0.0.0.0'],
    )
    const drainsWithin = 10 + (lifecycle?.preStop.sleep.seconds ?? 0)
    assert.ok(each.spec.template.spec.terminationGracePeriodSeconds >= 2 * drainsWithin)
  }
})

kubernetes(
  'consumers scale on a metric that they expose for the partitions they have, to as many as there are partitions',
  async () => {
    const { measure, render } = createMetrics()
    const scalers = ofKind('HorizontalPodAutoscaler')
    assert.equal(scalers.map(({ spec }) => spec.scaleTargetRef.name).sort(), ['livechat-egress', 'livechat-projector'])
    const config = readConfig({}, () => E.left('none'))
    assert.ok(E.isRight(config))
    const adapter = parse(text('docker/kubernetes/prometheus-adapter.yaml')).rules.external[0]
    for (const { spec } of scalers) {
      const { name, selector } = spec.metrics[0].external.metric
      measure.consumed(selector.matchLabels.group, 'chats', 0, 1, 7)
      assert.match(await render(), `${name}{group="${selector.matchLabels.group}",topic="chats",partition="0"} 7`)
      measure.partitionLeft(selector.matchLabels.group, 'chats', 0)
      assert.not.match(await render(), `${name}{group="${selector.matchLabels.group}"`)
      assert.is(adapter.name.as, name)
      assert.is(spec.maxReplicas, config.right.topics.partitions)
    }
  },
)

kubernetes('kustomize includes every manifest, and names the image that they name', () => {
  const { resources, images } = parse(text('docker/kubernetes/kustomization.yaml'))
  assert.equal([...resources].sort(), [...new Set(manifests.map(({ file }) => file))].sort())
  const { version } = JSON.parse(text('package.json'))
  assert.equal(images, [{ name: 'livechat-bridge', newName: 'livechat-bridge', newTag: version }])
  for (const each of workloads) assert.is(container(each).image, `livechat-bridge:${version}`)
})

kubernetes.run()
