// Makes schema.json from Kubernetes' own JSON Schemas, in the strict form that refuses unknown fields. It has only what
// the manifests here need. `node docker/kubernetes/make-schema.ts`, with pip; a test checks the manifests with it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output } from '../local/rootfs.ts'

const source = 'kubernetes-validate==1.37.0'
const version = '1.34.0'
const kinds = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.StatefulSet',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
]

type Json = { readonly [key: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes references local to one document and removes texts. A property named `description` is an object: it stays. */
const pruned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pruned)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(
    ([key, of]) => !(key === 'description' && typeof of === 'string') && !key.startsWith('x-kubernetes-'),
  )
  return Object.fromEntries(
    entries.map(([key, of]) => [key, key === '$ref' ? String(of).replace(/^.*#/, '#') : pruned(of)]),
  )
}

const referred = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name)

const folder = await mkdtemp(join(tmpdir(), 'livechat-schema-'))
await output('python3', '-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, source)
const file = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict/_definitions.json`
const { $defs }: { readonly $defs: Json } = JSON.parse(await readFile(join(folder, file), 'utf8'))
await rm(folder, { recursive: true })

const needed = new Map<string, unknown>()
const take = (name: string): void => {
  if (needed.has(name)) return
  needed.set(name, pruned($defs[name]))
  referred(needed.get(name)).forEach(take)
}
kinds.forEach(take)

const lines = [...needed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => `"${name}":${JSON.stringify(of)}`)
const schema = `{"$comment":"Kubernetes ${version}, strict","$defs":{\n${lines.join(',\n')}\n}}\n`
await writeFile(fileURLToPath(new URL('schema.json', import.meta.url)), schema)
