import { loadavg } from 'node:os'
import type { Bench, BridgeChoice, Findings, Job } from './bench.ts'
import { describeMachine, type Machine } from './machine.ts'
import { startServers } from './servers.ts'

/** A job's figures, when they were taken, and how. */
export type Result = {
  readonly job: string
  readonly what: string
  readonly at: string
  readonly tookSeconds: number
  readonly loadBefore: number
  readonly bridge: Omit<BridgeChoice, 'profile' | 'before'>
} & Findings

type Given = Pick<Bench, 'size' | 'say' | 'javaPeers' | 'bridge'> & {
  /** Called with each job's result at once, so that an interrupted run keeps its results. */
  readonly keep?: (result: Result, machine: Machine) => Promise<void>
}

/** The failed checks of a job. */
const wrong = ({ checks }: Findings): ReadonlyArray<string> =>
  checks.flatMap(({ what, expected, found }) =>
    expected === found ? [] : [`${what}: expected ${expected}, found ${found}`],
  )

/** Runs jobs one after the other on their own servers. It reports a job that fails, and continues with the others. */
export const runJobs = async (jobs: ReadonlyArray<Job>, given: Given) => {
  const { say } = given
  const servers = await startServers(say)
  const guests: Array<() => Promise<void>> = []
  const leave = async () => {
    for (const guest of guests.splice(0).reverse()) await guest().catch(() => {})
  }
  const interrupted = async () => {
    await leave()
    await servers.stop()
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  const machine = describeMachine(await servers.versions())
  const results: Result[] = []
  const failures: Array<{ readonly job: string; readonly what: string }> = []
  for (const { name, what, run } of jobs) {
    say(`${name}: ${what}`)
    const began = performance.now()
    const loadBefore = loadavg()[0] ?? 0
    try {
      const findings = await run({ ...servers, ...given, afterwards: (guest) => void guests.push(guest) })
      const { profile: _, before: __, ...bridge } = given.bridge
      const tookSeconds = Math.round((performance.now() - began) / 1000)
      const at = new Date().toISOString()
      const about = { job: name, what, at, tookSeconds, loadBefore, bridge }
      const result = { ...about, ...findings }
      results.push(result)
      await given.keep?.(result, machine)
      for (const each of wrong(findings)) failures.push({ job: name, what: each })
    } catch (error) {
      say(`✘ ${name}: the run itself failed`)
      failures.push({ job: name, what: `the run itself failed: ${error instanceof Error ? error.stack : error}` })
    }
    await leave()
  }
  await servers.stop()
  return { results, failures }
}
