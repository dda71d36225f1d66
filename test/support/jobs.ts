import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { limitConcurrency } from '../../src/bridge/shared/semaphore.ts'
import { type Limits, type Outcome, root, runTests, testsOf } from './outcome.ts'

const folder = join(root, 'test')

/** Test files that run in one process, by their paths below test/. */
export type Job = ReadonlyArray<string>

/** What takes longest. Each run prints its slowest files at its end. */
const longest = [
  'verify/faults/',
  'verify/bench/',
  'verify/toolchains/console-',
  'verify/toolchains/keycloak',
  'verify/toolchains/consumers-outages',
  'verify/toolchains/upgrade',
  'verify/toolchains/package/',
  'bridge/integration/archive.test.ts',
  'bridge/integration/recreated-topic.test.ts',
  'bridge/integration/backup.test.ts',
  'bridge/integration/contracts-true.test.ts',
  'bridge/integration/restored-copy.test.ts',
  'bridge/integration/rebuild.test.ts',
  'bridge/integration/archive-generations.test.ts',
  'golden/',
  'bridge/operations/',
  'tools/embedded/',
  'bridge/egress/',
  'guides/',
  'app/integration/command-line.test.ts',
  'bot/integration/what-if.test.ts',
]
const rankOf = (job: Job): number => {
  const rank = longest.findIndex((name) => job.some((file) => file.startsWith(name)))
  return rank < 0 ? longest.length : rank
}
const lengthOf = (job: Job): number => job.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)

/**
 * The files of a folder are one job, since they are many and small: of each room in the bridge, tools and verify. A file
 * below `integration` is a job, because its bridges should run only as long as its own tests do.
 */
const jobOf = (file: string): string => {
  const [first = '', second = ''] = file.split('/')
  if (file.includes('/integration/')) return file
  return ['bridge', 'tools', 'verify'].includes(first) ? `${first}/${second}` : first
}

/** The longest jobs are first, so that no long one is left alone at the end. */
export const longestFirst = (jobs: ReadonlyArray<Job>): ReadonlyArray<Job> =>
  jobs.toSorted((a, b) => rankOf(a) - rankOf(b) || lengthOf(b) - lengthOf(a))

/** The test files whose path below test/ matches both patterns, as jobs. */
export const jobsOf = (files: string, pattern = ''): ReadonlyArray<Job> => {
  const [ours, wanted] = [new RegExp(`^${files}`), new RegExp(pattern)]
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && ours.test(file) && wanted.test(file),
  )
  const jobs = Map.groupBy(found, jobOf)
  return longestFirst([...jobs.values()].map((job) => job.toSorted()))
}

/** One process more than cores: each waits for servers at times. With two more, some wait for a core so long that their limits end. */
const inTurn = limitConcurrency(availableParallelism() + 1)

/** Runs each job in a process of its own. */
export const runJobs = (
  jobs: ReadonlyArray<Job>,
  env: NodeJS.ProcessEnv,
  limits?: Limits,
): Promise<ReadonlyArray<Outcome>> => {
  const shown = jobs.length === 1 ? 'at once' : 'at the end'
  return Promise.all(jobs.map((job) => inTurn(() => runTests(testsOf(job), env, shown, limits))))
}
