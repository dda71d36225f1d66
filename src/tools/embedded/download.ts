import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { type Problem, problem } from './problem.ts'

export type Say = (line: string) => void

type Download = {
  /** This directory exists only after the download is complete and verified. */
  readonly target: string
  readonly what: string
  readonly say: Say
  /** Downloads into an empty directory beside the target, and verifies the files. */
  readonly fetch: (directory: string) => Promise<E.Either<Problem, unknown>>
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const timed = async <A>(what: string, say: Say, task: () => Promise<E.Either<Problem, A>>) => {
  const started = Date.now()
  say(`fetching ${what} …`)
  const ticking = setInterval(() => say(`… still fetching ${what}, ${seconds(started)}`), 5_000)
  const outcome = await task().finally(() => clearInterval(ticking))
  if (E.isRight(outcome)) say(`fetched ${what} in ${seconds(started)}`)
  return outcome
}

/** The target's path. Fetches the target if it does not exist. If two processes fetch, the first to finish wins. */
export const fetchOnce = async ({ target, what, say, fetch }: Download): Promise<E.Either<Problem, string>> => {
  if (existsSync(target)) return E.right(target)
  await mkdir(dirname(target), { recursive: true })
  const partial = await mkdtemp(`${target}.partial-`)
  try {
    const fetched = await timed(what, say, () => fetch(partial))
    if (E.isLeft(fetched)) return fetched
    await rename(partial, target).catch(() => undefined)
    return existsSync(target) ? E.right(target) : problem(`${target} cannot be written: check the directory's rights`)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
