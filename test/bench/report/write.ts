import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../run-jobs.ts'

/** Leaves each job's results as JSON. */
export const writeResults = async (dir: string, results: ReadonlyArray<Result>): Promise<void> => {
  await mkdir(dir, { recursive: true })
  for (const result of results)
    await writeFile(join(dir, `${result.job}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
}
