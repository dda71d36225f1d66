import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Role, roles } from '../../../src/bridge/domain/roles.ts'
import type { Job } from './bench.ts'
import { jobs } from './jobs/index.ts'
import { figuresText, goalsText } from './report/text.ts'
import { writeResults } from './report/write.ts'
import { runJobs } from './run-jobs.ts'
import { full, short, withRounds } from './size.ts'

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It is to be a whole number above 0.')
  return Number(text)
}
const names = jobs.map(({ name }) => name).join(', ')
const jobsOf = (text: string): ReadonlyArray<Job> =>
  text.split(',').map((name) => {
    const job = jobs.find((known) => known.name === name.trim())
    if (job === undefined) throw new InvalidArgumentError(`${name} is not one of ${names}.`)
    return job
  })

type Options = {
  readonly only: ReadonlyArray<Job>
  readonly short: boolean
  readonly rounds?: number
  readonly out?: string
  readonly ingressProcesses: number
  readonly startArgs: string
  readonly javaPeers: boolean
  readonly before?: string
  readonly profile?: string
}

const results = resolve(import.meta.dirname, 'results')

const program = new Command('bench')
  .description(`Measures the bridge and what a user would pick instead, side by side. Jobs: ${names}.`)
  .addOption(
    new Option('--only <jobs>', 'some of the jobs, with commas between them').argParser(jobsOf).default(jobs, 'all'),
  )
  .option('--short', 'little of each job, to see that it works: its figures mean nothing', false)
  .option('--rounds <n>', 'how often each figure is taken', wholeNumber)
  .option('--out <dir>', `where the results go (all jobs: ${results}; nowhere with --only or --short)`)
  .option('--ingress-processes <n>', 'processes with the role ingress that share the load', wholeNumber, 1)
  .option('--start-args <args>', "more arguments for the bridge's `start` where it has the role ingress", '')
  .option('--no-java-peers', 'leaves out the peers that Maven fetches')
  .option('--before <dir>', 'another checkout of the bridge, prepared by its `npm ci`, which takes part in turns')
  .option('--profile <dir>', `writes CPU profiles of the bridge's processes (${roles.join(', ')}) there`)
  .parse()
const options = program.opts<Options>()

const began = performance.now()
const say = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`)
const usual = options.short ? short : full
const size = options.rounds === undefined ? usual : withRounds(usual, options.rounds)
const isWhole = !options.short && options.only.length === jobs.length
const out = options.out ?? (isWhole ? results : undefined)
const done = await runJobs(options.only, {
  size,
  say,
  javaPeers: options.javaPeers,
  ...(out !== undefined && { keep: (result, machine) => writeResults(resolve(out), machine, [result]) }),
  bridge: {
    ingressProcesses: options.ingressProcesses,
    startArgs: options.startArgs.split(' ').filter((part) => part !== ''),
    ...(options.before !== undefined && { before: resolve(options.before) }),
    ...(options.profile !== undefined && {
      profile: { dir: resolve(options.profile), roles: roles as ReadonlyArray<Role> },
    }),
  },
})
console.log(figuresText(done.results))
if (!options.short) console.log(goalsText(done.results))
for (const { job, what } of done.failures) say(`✘ ${job}: ${what}`)
if (done.failures.length === 0) say('nothing was lost')
process.exit(done.failures.length === 0 ? 0 : 1)
