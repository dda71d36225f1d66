import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics } from '../contracts/topics.ts'
import { viewNames } from '../src/bridge/views/index.ts'
import { modules } from './verify/mutants/modules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = (pattern: string) => globSync(pattern, { cwd: root }).sort()
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Import = { readonly file: string; readonly what: string }

/** What a file imports, imports of types included. */
const importsIn = (file: string, text: string): Import[] =>
  [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, a, b, c]) => {
      const what = a ?? b ?? c ?? ''
      return { file, what: what.startsWith('.') ? relative(root, join(root, dirname(file), what)) : what }
    },
  )
const importsOf = (file: string): Import[] => importsIn(file, read(file))

// The guides' examples are programs of other teams, which have only the package.
const examples = files('contracts/guides/**/*.ts')
// The names under which the contracts' package contains the bot kit.
const kit = ['contracts/bot/harness.ts', 'contracts/bot/index.ts']
const others = [...examples, ...kit]
const sources = files('{src,contracts}/**/*.{ts,tsx}').filter((file) => !others.includes(file))
const imports = sources.flatMap(importsOf)
const room = (path: string) =>
  /^src\/(?:(?:bridge|tools)\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? (path.startsWith('contracts/') ? 'contracts' : path)
const found = (breaks: (i: Import) => boolean) =>
  imports.filter(breaks).map(({ file, what }) => `${file} imports ${what}`)

const onlyIn: Readonly<Record<string, ReadonlyArray<string>>> = {
  koa: ['src/bridge/http', 'src/bridge/ingress', 'src/console'],
  '@koa/router': ['src/bridge/http', 'src/bridge/ingress', 'src/console'],
  kafkajs: ['src/bridge/kafka'],
  '@node-rs/crc32': ['src/bridge/kafka'],
  snappy: ['src/bridge/kafka'],
  'lz4-napi': ['src/bridge/kafka'],
  mongodb: ['src/bridge/mongo'],
  'mdast-util-from-markdown': ['src/bridge/adapters/markdown.ts'],
  'mdast-util-gfm': ['src/bridge/adapters/markdown.ts'],
  'micromark-extension-gfm': ['src/bridge/adapters/markdown.ts'],
  jose: ['src/bridge/ingress/access-token.ts', 'src/bridge/archive', 'src/console/access'],
  'openid-client': ['src/console/access'],
  'cli-progress': ['src/app/terminal/progress.ts'],
  pino: ['src/app'],
  'prom-client': ['src/app'],
  '@opentelemetry/api': ['src/bridge/adapters/tracing.ts', 'src/app/telemetry.ts'],
  '@opentelemetry/sdk-trace': ['src/app/telemetry.ts'],
  '@opentelemetry/exporter-trace-otlp-proto': ['src/app/telemetry.ts'],
  '@opentelemetry/context-async-hooks': ['src/app/telemetry.ts'],
  '@opentelemetry/resources': ['src/app/telemetry.ts'],
  commander: ['src/app'],
  'mongodb-memory-server-core': ['src/tools/embedded'],
  yaml: ['src/tools/publishing'],
  preact: ['src/console/browser', 'src/console/pages'],
  uplot: ['src/console/browser'],
  esbuild: ['src/console/assets.ts'],
}

const below = (door: string, ...names: ReadonlyArray<string>) => names.map((name) => `src/${door}/${name}`)
const base = ['contracts', ...below('bridge', 'shared', 'domain')]
const sideBySide = [...base, ...below('bridge', 'adapters', 'http')]
const servers = [
  ...sideBySide,
  ...below('bridge', 'ingress', 'journal', 'kafka', 'views', 'egress', 'archive', 'mongo'),
]
const bridge = [...servers, ...below('bridge', 'operations', 'privacy')]

/** What a folder may import besides itself. Only `src/app` imports everything, and nothing imports `src/app`. */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  contracts: [],
  'src/bridge/shared': [],
  'src/bridge/domain': ['contracts', 'src/bridge/shared'],
  'src/bridge/adapters': base,
  'src/bridge/http': [...base, 'src/bridge/adapters'],
  'src/bridge/ingress': sideBySide,
  'src/bridge/journal': sideBySide,
  'src/bridge/kafka': sideBySide,
  'src/bridge/views': sideBySide,
  'src/bridge/egress': sideBySide,
  'src/bridge/archive': sideBySide,
  'src/bridge/mongo': [...sideBySide, 'src/bridge/views'],
  'src/bridge/operations': servers,
  'src/bridge/privacy': [...servers, 'src/bridge/operations'],
  'src/console': bridge,
  'src/bot': bridge,
  'src/tools/embedded': bridge,
  'src/tools/publishing': bridge,
  'src/tools/release': [],
  'src/tools/simulator': [...bridge, 'src/bot'],
}

/** The shortest circles of imports: a circle for each file that imports itself, through other files or not. */
const circlesIn = (all: ReadonlyArray<Import>): ReadonlyArray<string> => {
  const byFile = Map.groupBy(all, ({ file }) => file)
  const circleOf = (start: string): ReadonlyArray<string> => {
    const before = new Map<string, string>()
    const reached = [start]
    for (const file of reached)
      for (const { what } of byFile.get(file) ?? []) {
        if (before.has(what)) continue
        before.set(what, file)
        reached.push(what)
      }
    const circle: string[] = []
    for (let file = before.get(start); file !== undefined; file = file === start ? undefined : before.get(file))
      circle.unshift(file)
    return circle
  }
  const circles = [...byFile.keys()].map(circleOf).filter(({ length }) => length > 0)
  // A circle is found from each of its files.
  const distinct = new Map(circles.map((circle) => [circle.toSorted().join(' '), circle]))
  return [...distinct.values()].map((circle) => [...circle, circle[0]].join(' -> '))
}

const architecture = suite('architecture')

architecture('a library is imported only in the folders that wrap it', () => {
  const packageOf = (what: string) => what.split('/', what.startsWith('@') ? 2 : 1).join('/')
  assert.equal(
    found(({ file, what }) => {
      const rooms = onlyIn[packageOf(what)]
      return rooms !== undefined && !rooms.some((place) => file === place || file.startsWith(`${place}/`))
    }),
    [],
  )
})

architecture('Node.js reads no TSX, so only files of the browser that have markup import it', () => {
  assert.equal(
    found(({ file, what }) => what.endsWith('.tsx') && !file.endsWith('.tsx')),
    [],
  )
})

architecture('a folder imports only the folders that the diagram allows', () => {
  assert.equal(
    found(({ file, what }) => {
      const [from, to] = [room(file), room(what)]
      const allowed = mayImport[from]
      const local = what.startsWith('src/') || what.startsWith('contracts/')
      return allowed !== undefined && local && from !== to && !allowed.includes(to)
    }),
    [],
  )
})

architecture('every folder has a rule for its imports, and every rule a folder', () => {
  const rooms = new Set(sources.map(room).filter((name) => name !== 'src/app'))
  assert.equal([...rooms].sort(), Object.keys(mayImport).sort())
})

architecture('no file imports itself through others, imports of types included', () => {
  assert.equal(circlesIn(imports), [])
})

architecture('a circle of imports is found wherever it begins', () => {
  const texts = {
    'src/a.ts': "import { b } from './b.ts'\nimport { out } from './out.ts'",
    'src/b.ts': "import type { C } from './c.ts'\nexport { type Out } from './out.ts'",
    'src/c.ts': "type A = import('./a.ts').A",
    'src/in.ts': "import './a.ts'",
    'src/out.ts': "import 'koa'",
  }
  const edges = Object.entries(texts).flatMap(([file, text]) => importsIn(file, text))
  assert.equal(circlesIn(edges), ['src/c.ts -> src/a.ts -> src/b.ts -> src/c.ts'])
})

architecture('the contracts import io-ts and fp-ts only', () => {
  assert.equal(
    found(({ file, what }) => file.startsWith('contracts/') && !/^(contracts\/|io-ts$|fp-ts\/)/.test(what)),
    [],
  )
})

architecture('the domain is pure: it imports io-ts, fp-ts and what Node.js computes, no library', () => {
  const allowed = /^(contracts\/|src\/|io-ts$|fp-ts\/|node:(buffer|crypto|util)$)/
  assert.equal(
    found(({ file, what }) => room(file) === 'src/bridge/domain' && !allowed.test(what)),
    [],
  )
})

/** The rooms that know no view by name. In those beside MongoDB and operations the same word may be that of a topic. */
const namesNoView = /^src\/bridge\/(mongo|operations|privacy|egress|archive|kafka|ingress|journal|http|shared)\//
architecture('no view stands by its name outside src/bridge/views', () => {
  const names: ReadonlyArray<string> = viewNames
  const topicNames = new Set<string>(topics.map(({ name }) => name))
  assert.equal(
    sources
      .filter((file) => namesNoView.test(file))
      .flatMap((file) => {
        const isStrict = /^src\/bridge\/(mongo|operations|privacy)/.test(file)
        return [...read(file).matchAll(/'([a-z_]+)'/g)].flatMap(([, literal = '']) =>
          names.includes(literal) && (isStrict || !topicNames.has(literal)) ? [`${file}: ${literal}`] : [],
        )
      }),
    [],
  )
})

architecture('the examples of the guides import only packages that their readers have', () => {
  const own = /^(livechat-bridge-contracts\/|contracts\/guides\/|kafkajs$|fp-ts\/|node:)/
  assert.equal(
    examples.flatMap(importsOf).filter(({ what }) => !own.test(what)),
    [],
  )
})

architecture('nothing imports the composition roots', () => {
  assert.equal(
    found(({ file, what }) => room(what) === 'src/app' && room(file) !== 'src/app'),
    [],
  )
})

architecture('the environment is read in one file', () => {
  assert.equal(
    sources.filter((file) => read(file).includes('process.env')),
    ['src/app/config.ts'],
  )
})

architecture('the table of mutants names sources and tests that are there', () => {
  const named = modules.flatMap(({ source, tests, wider = [] }) => [
    source,
    ...[...tests, ...wider].map((file) => `test/${file}`),
  ])
  assert.equal(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  )
})

architecture('every test file runs its suites', () => {
  assert.equal(
    files('test/**/*.test.ts').filter((file) => !/\.run\(\)/.test(read(file))),
    [],
  )
})

architecture.run()
