import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { commandLine, family } from './proc.ts'

/** The processes of the bridge below the one that was started: parent, front and back. */
export const processesOf = (pid: number) =>
  family(pid)
    .map((each) => ({ pid: each.pid, command: commandLine(each.pid).join(' ') }))
    .filter(({ command }) => command.includes('cli.ts'))
    .map((each) => ({ pid: each.pid, name: /child (front|back)/.exec(each.command)?.[1] ?? 'parent' }))

const counter = new URL('peers/count-requests.ts', import.meta.url).pathname

/** The environment of a bridge whose requests to Kafka are counted, in files of this folder. */
export const countingRequests = (dir: string) => ({ NODE_OPTIONS: `--import ${counter}`, COUNT_REQUESTS: dir })

/** The requests to Kafka that these processes have sent so far. */
export const kafkaRequests = async (dir: string, pids: ReadonlyArray<number>): Promise<number> => {
  const files = pids.map((pid) => join(dir, `requests-${pid}.json`))
  for (const file of files) rmSync(file, { force: true })
  for (const pid of pids) process.kill(pid, 'SIGUSR1')
  await eventually('the counts of requests', () => files.every((file) => existsSync(file)) || undefined)
  const counts = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, number>>)
  return counts.flatMap((each) => Object.values(each)).reduce((sum, count) => sum + count, 0)
}
