import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ErasureDocument } from '../../contracts/views/erasure.ts'
import type { AnySource, Find, Pipeline } from '../../src/bridge/mongo/source.ts'
import { contractOf } from '../../src/bridge/views/index.ts'
import type { Backend } from '../../src/console/backend.ts'
import { handlersWith } from '../../src/console/handlers.ts'
import { cursorText } from '../../src/console/query.ts'
import { type ConsoleRoute, routeNames } from '../../src/console/routes.ts'
import { auditTopic, given } from './given-request.ts'

type Any = t.TypeOf<t.Mixed>

/** The paths of the fields of a codec, such as `agents.id`. `attempts.*`: any field below it. */
const pathsOf = (codec: t.Any, path = ''): ReadonlyArray<string> => {
  if (codec instanceof t.ExactType || codec instanceof t.ArrayType) return pathsOf(codec.type, path)
  if (codec instanceof t.DictionaryType) return [path, `${path}.*`]
  if (codec instanceof t.IntersectionType || codec instanceof t.UnionType)
    return codec.types.flatMap((each: t.Any) => pathsOf(each, path))
  if (!(codec instanceof t.InterfaceType || codec instanceof t.PartialType)) return [path]
  const fields = Object.entries<t.Any>(codec.props)
  return [path, ...fields.flatMap(([name, field]) => pathsOf(field, path === '' ? name : `${path}.${name}`))]
}

type Names = ReadonlySet<string>
/** True of a field, of one below a field of any form, and of one that has fields. */
const isKnown = (names: Names, path: string) =>
  names.has(path) ||
  [...names].some((name) => name.startsWith(`${path}.`)) ||
  path.split('.').some((_, i, parts) => names.has(`${parts.slice(0, i + 1).join('.')}.*`))

const isTerms = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** The fields that conditions name. */
const inWhere = (where: unknown): ReadonlyArray<string> => {
  if (Array.isArray(where)) return where.flatMap(inWhere)
  if (!isTerms(where)) return []
  return Object.entries(where).flatMap(([name, value]) => (name.startsWith('$') ? inWhere(value) : [name]))
}

/** The fields that an expression of a stage reads: `$attempts.status`, but no variable. */
const inExpression = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === 'string') return /^\$[^$]/.test(value) ? [value.slice(1)] : []
  if (Array.isArray(value)) return value.flatMap(inExpression)
  return isTerms(value) ? Object.values(value).flatMap(inExpression) : []
}

/** The fields that an expression makes at a path. */
const madeBy = (value: unknown, path: string): ReadonlyArray<string> => {
  if (!isTerms(value) || Object.keys(value).some((name) => name.startsWith('$'))) return [path, `${path}.*`]
  return [path, ...Object.entries(value).flatMap(([name, each]) => madeBy(each, `${path}.${name}`))]
}
const made = (terms: unknown) =>
  isTerms(terms) ? Object.entries(terms).flatMap(([name, value]) => madeBy(value, name)) : []

const without = (names: Names, unset: string) => [...names].filter((name) => name !== unset)

/** What a stage reads, and the fields after it. Undefined: only the codec of the row knows them. */
const step = (stage: Readonly<Record<string, unknown>>, names: Names): [ReadonlyArray<string>, Names | undefined] => {
  const [[name = '', value] = []] = Object.entries(stage)
  switch (name) {
    case '$match':
      return [inWhere(value), names]
    case '$sort':
      return [Object.keys(value as object), names]
    case '$limit':
      return [[], names]
    case '$count':
      return [[], new Set([String(value)])]
    case '$unset':
      return [[String(value)], new Set(without(names, String(value)))]
    case '$set':
      return [inExpression(value), new Set([...names, ...made(value)])]
    case '$group':
      return [inExpression(value), new Set(made(value))]
    case '$project': {
      const kept = Object.entries(value as object).flatMap(([field, one]) => (one === 1 ? [field] : []))
      return [[...kept, ...inExpression(value)], new Set([...made(value), '_id'])]
    }
    case '$replaceWith':
      return [inExpression(value), undefined]
    default:
      throw new Error(`this test does not know ${name}`)
  }
}

const codecOf = (view: AnySource['view']): t.Any => (view === 'erasures' ? ErasureDocument : contractOf(view).document)

/** The names of fields in a source that nothing has. */
const unknownIn = (source: AnySource): ReadonlyArray<string> => {
  const fromView: Names = new Set(pathsOf(codecOf(source.view)))
  const row = pathsOf(source.row).filter((path) => path !== '' && !path.endsWith('.*'))
  if (!('stages' in source)) {
    const { where, sort = {}, fields } = source
    const named = [...inWhere(where), ...Object.keys(sort), ...(fields ?? [])]
    // Of a field that is read, the row has all that is below it.
    const read: Names =
      fields === undefined ? fromView : new Set(['_id', ...fields.flatMap((name) => [name, `${name}.*`])])
    return [...named.filter((path) => !isKnown(fromView, path)), ...row.filter((path) => !isKnown(read, path))]
  }
  let names: Names | undefined = fromView
  const wrong: string[] = []
  for (const stage of source.stages) {
    const [read, next]: [ReadonlyArray<string>, Names | undefined] = step(stage, names ?? new Set(row))
    const known: Names = names ?? new Set(row)
    wrong.push(...read.filter((path) => !isKnown(known, path)))
    names = next
  }
  const last = names
  return [...wrong, ...(last === undefined ? [] : row.filter((path) => !isKnown(last, path)))]
}

const date = '2026-01-02T00:00:00.000Z'
const days = 'from=2026-01-02&to=2026-01-05'
const cursor = (of: object) => encodeURIComponent(cursorText(of))
/** Every GET is asked without a query. These use every filter, order and page of the sources too. */
const questions: ReadonlyArray<readonly [route: ConsoleRoute, query?: string]> = [
  [
    'GET /api/accounts/:account/conversations',
    `state=open&outcome=abandoned&kind=agent&agent=a1&widget=w1&failed=true&id=1&${days}`,
  ],
  [
    'GET /api/accounts/:account/conversations',
    `state=open&sort=waits&cursor=${cursor({ at: date, ids: ['acme/1/bot/1'] })}`,
  ],
  ['GET /api/accounts/:account/conversations', 'state=over&unanswered=true&sort=oldest'],
  ['GET /api/accounts/:account/conversations.csv', 'sort=longest'],
  ['GET /api/accounts/:account/conversations.csv', 'sort=waits'],
  ['GET /api/accounts/:account/conversations/:chat', `before=${cursor({ at: date, ids: ['e1'] })}`],
  ['GET /api/accounts/:account/statistics', `${days}&until=now`],
  ['GET /api/accounts/:account/statistics.csv', `${days}&by=agent&id=a1`],
  ['GET /api/accounts/:account/statistics/failed-replies', days],
  ['POST /api/accounts/:account/statistics/names'],
  ['GET /api/accounts/:account/drift', 'kind=misfit'],
  [
    'GET /api/accounts/:account/audit',
    `action=erase&who=kim&about=17&${days}&cursor=${cursor({ at: date, _id: 'a1' })}`,
  ],
]

const cannotAnswer = async () => E.left({ kind: 'transient', reason: 'no broker answers' })

/** The sources that pages read for these questions. MongoDB finds nothing. */
const sourcesOf = async () => {
  const found: Array<AnySource> = []
  const backend = {
    accounts: [{ id: 'acme' }],
    now: () => '2026-01-05T12:00:00.000Z',
    timeZoneOf: () => 'Europe/Berlin',
    recordActionOf: auditTopic().recordActionOf,
    kafka: { readTopic: cannotAnswer },
    redrives: {},
    operations: [],
    groups: [],
    gates: () => [],
    monotonic: () => 0,
    readiness: async () => ({ ready: true, checks: {} }),
    read: async (source: AnySource) => {
      found.push(source)
      return E.right([])
    },
    readFitting: async (source: AnySource) => {
      found.push(source)
      return E.right({ rows: [], areAll: true })
    },
  }
  const handlers = handlersWith(backend as unknown as Backend)
  const gets = routeNames.filter((route) => route.startsWith('GET '))
  for (const [route, query = ''] of [...gets.map((route) => [route] as const), ...questions])
    await handlers[route](given({ query, chatId: '2037', body: { ids: ['a1'] } }))
  return found
}

/** Without a question that reads one of these, this test would not see its sources. */
const viewsOfPages: ReadonlyArray<AnySource['view']> = [
  'audit',
  'chats',
  'conversations',
  'daily_stats',
  'daily_stats_by',
  'deliveries',
  'drift',
  'erasures',
  'sessions',
  'timeline',
]

const sources = suite('the sources of the pages')

sources('name only fields that the contracts of their views have', async () => {
  const all = await sourcesOf()
  assert.equal(
    all.flatMap((source) => unknownIn(source).map((path) => `${source.view}: ${path}`)),
    [],
  )
  const read = new Set(all.map(({ view }) => view))
  assert.equal(
    viewsOfPages.filter((view) => !read.has(view)),
    [],
  )
})

const entries: Find<Any> = { view: 'drift', row: t.strict({ kind: t.string }), where: { kind: 'misfit' } }
const pipeline = (...stages: Pipeline<Any>['stages']): Pipeline<Any> => ({
  view: 'sessions',
  row: t.strict({ _id: t.string, count: t.number }),
  stages,
})
for (const [source, wrong] of [
  [entries, []],
  [{ ...entries, where: { accountId: 'acme', knd: 'misfit' } }, ['knd']],
  [{ ...entries, where: { $or: [{ accountId: 'acme' }, { $and: [{ acount: 'acme' }] }] } }, ['acount']],
  [{ ...entries, sort: { last: -1 } }, ['last']],
  [{ ...entries, fields: ['kind', 'tpes'] }, ['tpes']],
  [{ ...entries, fields: ['count'] }, ['kind']],
  [{ ...entries, row: t.strict({ knd: t.string }) }, ['knd']],
  [{ ...entries, view: 'sessions', where: { 'agents.id': 'a1', 'agents.nam': 'Ann' } }, ['agents.nam']],
  [pipeline({ $group: { _id: '$kind', count: { $sum: 1 } } }, { $sort: { count: -1 } }), []],
  [pipeline({ $group: { _id: '$knd', count: { $sum: 1 } } }), ['knd']],
  [pipeline({ $group: { _id: '$kind', n: { $sum: 1 } } }, { $sort: { count: -1 } }), ['count', 'count']],
  [pipeline({ $match: { kind: 'bot' } }, { $project: { count: { $add: ['$replies', '$turn'] } } }), ['turn']],
] satisfies ReadonlyArray<readonly [AnySource, ReadonlyArray<string>]>)
  sources(`a wrong name is found: ${wrong.join(', ') || 'none'}`, () => {
    assert.equal(unknownIn(source), wrong)
  })

sources.run()
