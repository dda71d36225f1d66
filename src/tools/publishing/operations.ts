import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { type Done, operation, type Run, type Stop, stop } from '../../bridge/operations/operation.ts'
import { anyText } from '../../bridge/operations/options.ts'
import { directionOf } from './catalogue.ts'
import { type Break, breakingChanges, topicBreaks } from './compatibility/breaks.ts'
import { parseRelease, type Release, releaseText } from './compatibility/release.ts'
import { type PublishEvent, publishTo, registryOf } from './registry.ts'
import { type JsonObject, version as present } from './schema.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = 'contracts/published'

const released = join(root, 'contracts/released.json')
const publishedHere = join(root, folder)

/** The release in contracts/published, from the names and texts of its files. */
const releaseOf = (version: string, files: ReadonlyArray<readonly [path: string, text: string]>): Release => {
  const schemas = files.filter(([path]) => path.includes('schemas/'))
  const topics = files.find(([path]) => basename(path) === 'topics.json')?.[1] ?? '{}'
  return {
    version,
    corrections: [],
    schemas: new Map(schemas.map(([path, text]) => [basename(path, '.json'), JSON.parse(text)])),
    topics: new Map(Object.entries(JSON.parse(topics))),
  }
}

const fromFolder = (dir: string): Release => {
  const paths = globSync(['topics.json', 'schemas/*.json'], { cwd: dir }).sort()
  return releaseOf(
    dir,
    paths.map((path) => [path, readFileSync(join(dir, path), 'utf8')]),
  )
}

const git = (...args: ReadonlyArray<string>) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const fromGit = (ref: string): Release => {
  const commit = git('rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).trim()
  const paths = git('ls-tree', '-r', '--name-only', commit, `${folder}/`)
    .split('\n')
    .filter((path) => path.endsWith('.json'))
  return releaseOf(
    ref,
    paths.map((path) => [path, git('show', `${commit}:${path}`)]),
  )
}

/** The contracts in a named folder, which is a checkout or contracts/published itself. */
const inside = (dir: string): string => (existsSync(join(dir, folder)) ? join(dir, folder) : dir)

const read = (against: string): Release => {
  if (!existsSync(against)) return fromGit(against)
  return statSync(against).isDirectory() ? fromFolder(inside(against)) : parseRelease(readFileSync(against, 'utf8'))
}

/** The release in a file, a folder or a git tag. Left: why there is none. */
const readRelease = (against: string): E.Either<string, Release> => {
  const release = E.tryCatch(
    () => read(against),
    (thrown) => (thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)),
  )
  if (E.isLeft(release)) return E.left(`${against} is no release of the contracts: ${release.left}`)
  return release.right.schemas.size === 0 ? E.left(`${against} has no schemas`) : release
}

/** The published contracts beside a release. */
export type Compared = {
  readonly version: string
  readonly topics: number
  readonly schemas: number
  readonly newSchemas: number
  readonly breakingChanges: ReadonlyArray<Break>
}

/** The published topics and schemas beside a release: each breaking change, and how much was compared. */
const compare = (against: string): E.Either<Stop, Compared> => {
  const [before, now] = [readRelease(against), readRelease(publishedHere)]
  if (E.isLeft(before)) return stop('refused', before.left)
  if (E.isLeft(now)) return stop('refused', now.left)
  const [{ schemas: old, topics, version }, today] = [before.right, now.right]
  const breaks = [...topicBreaks(topics, today.topics), ...breakingChanges(old, today.schemas, directionOf)]
  const newSchemas = [...today.schemas.keys()].filter((name) => !old.has(name)).length
  return E.right({ version, topics: topics.size, schemas: old.size, newSchemas, breakingChanges: breaks })
}

export const contractsCheck = operation({
  name: 'contracts check',
  summary: 'print every breaking change since a release',
  description:
    'Compare contracts/published with a release and print every breaking change: the schema, the path in it, what changed and whom it breaks. Exit code 1 if there is one. The rule is in contracts/README.md.',
  options: {
    against: {
      about:
        'a git tag, a folder (a checkout or a copy of contracts/published), or a file as `release` writes it (default: contracts/released.json)',
      value: 'release',
      read: anyText,
    },
  },
  json: 'print it as JSON',
  needs: {},
  select: async (_: object, { against = released }) => compare(against),
  act: async (_, compared) => E.right({ code: compared.breakingChanges.length === 0 ? 0 : 1, result: compared }),
})

/** `refused`: there are breaking changes. */
export type Released = { readonly kind: 'refused' } | { readonly kind: 'released'; readonly version: string }

/**
 * Makes the published contracts the release that later ones are compared with. A correction is a breaking change of
 * this version: it is written with its reason, although the check fails.
 */
export const contractsRelease = operation({
  name: 'contracts release',
  summary: 'make the published contracts the released ones',
  description:
    'Write contracts/released.json, which `check` compares with, from contracts/published. If the check fails, nothing is written, except with --correction. The version is that of src/tools/publishing/schema.ts.',
  options: {
    correction: {
      about: 'accept breaking changes of this version and record why; only while no other team relies on it',
      value: 'reason',
      read: anyText,
    },
  },
  needs: {},
  select: async (_: object, { correction }) => {
    const compared = existsSync(released) ? compare(released) : undefined
    if (compared !== undefined && E.isLeft(compared) && correction === undefined) return compared
    return E.right({ compared: compared && E.isRight(compared) ? compared.right : undefined, correction })
  },
  show: ({ compared }) => (compared === undefined ? [] : [compared]),
  act: async (_, { compared, correction }, __: Run<Compared, never>): Promise<E.Either<Stop, Done<Released>>> => {
    if (compared !== undefined && compared.breakingChanges.length > 0 && correction === undefined)
      return E.right({ code: 1, result: { kind: 'refused' } })
    const now = readRelease(publishedHere)
    if (E.isLeft(now)) return stop('refused', now.left)
    const before = existsSync(released) ? readRelease(released) : now
    const earlier = E.isRight(before) && before.right.version === present ? before.right.corrections : []
    const corrections = correction === undefined ? earlier : [...earlier, correction]
    writeFileSync(released, releaseText({ ...now.right, version: present, corrections }))
    return E.right({ code: 0, result: { kind: 'released', version: present } })
  },
})

/** The schemas of the records of all topics, from contracts/published. */
const recordSchemas = (): E.Either<string, ReadonlyArray<readonly [name: string, schema: JsonObject]>> => {
  const now = readRelease(publishedHere)
  if (E.isLeft(now)) return now
  const { topics, schemas } = now.right
  const names = new Set([...topics.values()].flatMap(({ schemas: of }) => of))
  return E.right([...schemas].filter(([name]) => names.has(name)))
}

export const contractsPublish = operation({
  name: 'contracts publish',
  summary: "put the schema of each type of record into a schema registry with Confluent's interface",
  description:
    "Register the schema of each type of record in a schema registry with Confluent's REST interface, as JSON Schema draft-07. The subject is `livechat.` and the schema's name, for an event its ce_type. The registry's compatibility of these subjects becomes NONE: `contracts check` decides what may change.",
  options: {
    registry: {
      about: 'the URL of its REST interface, with user and password if it needs them',
      value: 'url',
      read: registryOf,
      isRequired: true,
    },
  },
  needs: {},
  select: async (_: object, { registry }) => {
    const schemas = recordSchemas()
    return E.isLeft(schemas) ? stop('refused', schemas.left) : E.right({ registry, schemas: schemas.right })
  },
  act: async (_, { registry, schemas }, { say }: Run<PublishEvent, never>) => {
    const published = await publishTo(registry, schemas, say)
    return E.isLeft(published)
      ? stop('unavailable', published.left)
      : E.right({ code: 0, result: { schemas: published.right } })
  },
})
