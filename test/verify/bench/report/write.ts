import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jobs } from '../jobs/index.ts'
import type { Machine } from '../machine.ts'
import type { Result } from '../run-jobs.ts'
import { plots } from './plots.ts'
import { readme } from './readme.ts'

const earlier = async (dir: string, job: string): Promise<ReadonlyArray<Result>> =>
  readFile(join(dir, `${job}.json`), 'utf8').then(
    (text) => [JSON.parse(text)],
    () => [],
  )

/** Writes each job's results as JSON, its plots, and a page of all results, also from earlier runs of other jobs. */
export const writeResults = async (dir: string, machine: Machine, results: ReadonlyArray<Result>): Promise<void> => {
  await mkdir(dir, { recursive: true })
  const write = (name: string, text: string) => writeFile(join(dir, name), `${text.trimEnd()}\n`)
  for (const result of results) await write(`${result.job}.json`, JSON.stringify(result, undefined, 1))
  await write('machine.json', JSON.stringify(machine, undefined, 2))
  const all = (await Promise.all(jobs.map(({ name }) => earlier(dir, name)))).flat()
  const drawn = plots(all)
  const isMeasured = (job: string) => results.some((result) => result.job === job)
  for (const { job, file, svg } of drawn) if (isMeasured(job)) await write(file, svg)
  await write('README.md', readme(machine, all, drawn))
}
