import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './outcome.ts'

const folder = join(root, 'test')

/** Test files that run in one process, by their paths below test/. */
export type Job = ReadonlyArray<string>

/** What takes longest. Each run prints its slowest files at its end. */
const longest = [
  'integration/archive.test.ts',
  'integration/recreated-topic.test.ts',
  'integration/backup.test.ts',
  'integration/contracts-true.test.ts',
  'integration/restored-copy.test.ts',
  'integration/rebuild.test.ts',
  'integration/archive-generations.test.ts',
  'operations/',
  'embedded/',
  'egress/',
  'guides/',
  'integration/command-line.test.ts',
  'integration/what-if.test.ts',
]
const rankOf = ([first = '']: Job): number => {
  const rank = longest.findIndex((name) => first.startsWith(name))
  return rank < 0 ? longest.length : rank
}
const lengthOf = (job: Job): number => job.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)

/**
 * The test files whose path below test/ matches both patterns, as jobs. A file of test/integration is a job, because its
 * bridges should run only as long as its own tests do. The other files of a folder are one job, since they are many and
 * small. The longest jobs are first, so that no long one is left alone at the end.
 */
export const jobsOf = (files: string, pattern = ''): ReadonlyArray<Job> => {
  const [ours, wanted] = [new RegExp(`^${files}`), new RegExp(pattern)]
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && ours.test(file) && wanted.test(file),
  )
  const jobs = Map.groupBy(found, (file) => (file.startsWith('integration/') ? file : file.replace(/\/.*/, '')))
  return [...jobs.values()]
    .map((job) => job.toSorted())
    .toSorted((a, b) => rankOf(a) - rankOf(b) || lengthOf(b) - lengthOf(a))
}
