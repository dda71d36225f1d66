// Changes one operator, constant or branch of a module at a time, and runs the tests of the module: one must fail.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { limitConcurrency } from '../../../src/bridge/shared/semaphore.ts'
import { type Outcome, root, runTests, testsOf } from '../../support/outcome.ts'
import { typeChecker } from './compiler.ts'
import { type Module, modules, replays } from './modules.ts'
import { type Mutant, mutantsOf } from './mutations.ts'

const {
  values: { alive: onlyAlive },
  positionals: [pattern = ''],
} = parseArgs({ options: { alive: { type: 'boolean', default: false } }, allowPositionals: true })
const wanted = new RegExp(pattern)
const preload = new URL('./load-mutant.ts', import.meta.url).href
const inTurn = limitConcurrency(availableParallelism())

/** A mutant that is this much slower than the program counts as hanging. The machine may be busy. */
const slower = 5
const leastMs = 20_000

/** `by`: the tests that failed. Nobody knows them if the tests did not come to their end. */
type Judged = Mutant & { readonly killed: boolean; readonly by: ReadonlyArray<string> }
type Report = Module & { readonly mutants: ReadonlyArray<Judged> }

/** The last report of a module says which test kills what. */
const reportFile = (source: string) => join(root, '.data', 'mutants', `${source}.json`)

/** With `--alive`, what was killed before is not tried again. */
const killedBefore = (source: string): ReadonlyArray<Judged> => {
  if (!onlyAlive || !existsSync(reportFile(source))) return []
  const { mutants } = JSON.parse(readFileSync(reportFile(source), 'utf8')) as Report
  return mutants.filter(({ killed }) => killed)
}
const isSame = (a: Mutant, b: Mutant) => a.was === b.was && a.becomes === b.becomes

const testIn = (failure: string): ReadonlyArray<string> => /FAIL {2}(.* {2}".*")/.exec(failure)?.slice(1) ?? []

/** Tests that pass as long as nothing is changed. */
type Stage = { readonly files: string; readonly limitMs: number }

const stageOf = async (files: string): Promise<Stage> => {
  const began = performance.now()
  const { passed, failures } = await runTests(files, process.env, 'not')
  if (passed === 0 || failures.length > 0) throw new Error(`without a change, ${files} fails: ${failures.join('\n')}`)
  return { files, limitMs: leastMs + slower * (performance.now() - began) }
}

const runOn = (source: string, { edit }: Mutant, { files, limitMs }: Stage): Promise<Outcome> => {
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import ${preload}`,
    MUTANT_OF: pathToFileURL(join(root, source)).href,
    MUTANT_EDIT: JSON.stringify(edit),
  }
  return runTests(files, env, 'not', { allMs: limitMs, endMs: limitMs })
}

const judge = async (source: string, mutant: Mutant, stages: ReadonlyArray<Stage>): Promise<Judged> => {
  for (const stage of stages) {
    const { failures } = await runOn(source, mutant, stage)
    if (failures.length > 0) return { ...mutant, killed: true, by: failures.flatMap(testIn) }
  }
  return { ...mutant, killed: false, by: [] }
}

const reportOf = async (module: Module): Promise<Report> => {
  const { source, tests, wider = [] } = module
  const files = [testsOf(tests), ...(wider.length > 0 ? [testsOf(wider)] : [])]
  const stages: Stage[] = []
  for (const each of [...files, testsOf([replays])]) stages.push(await stageOf(each))
  const before = killedBefore(source)
  const tested = await Promise.all(
    mutantsOf(readFileSync(join(root, source), 'utf8')).map(
      (each) => before.find((other) => isSame(each, other)) ?? inTurn(() => judge(source, each, stages)),
    ),
  )
  if (tested.every(({ killed }) => killed)) return { ...module, mutants: tested }
  using types = typeChecker(source)
  const mutants = tested.map((each) =>
    !each.killed && each.isTyped && types.refuses(each.edit) ? { ...each, killed: true, by: ['types'] } : each,
  )
  return { ...module, mutants }
}

/** Prints the score of a module. Returns how much of it somebody must look at. */
const print = ({ source, mutants, explained = {} }: Report): number => {
  const alive = mutants.filter(({ killed }) => !killed)
  const unexplained = alive.filter(({ becomes }) => explained[becomes] === undefined)
  const outdated = Object.keys(explained).filter((line) => !alive.some(({ becomes }) => becomes === line))
  const killed = mutants.length - alive.length
  console.log(`${source}: ${killed} of ${mutants.length} killed, ${alive.length - unexplained.length} explained`)
  for (const { line, was, becomes } of unexplained)
    console.log(`  ${source}:${line} survived\n    - ${was}\n    + ${becomes}`)
  for (const line of outdated) console.log(`  ${source}: no survivor is explained by\n      ${line}`)
  return unexplained.length + outdated.length
}

let open = 0
const reports: Report[] = []
for (const module of modules.filter(({ source }) => wanted.test(source))) {
  const report = await reportOf(module)
  reports.push(report)
  open += print(report)
  mkdirSync(dirname(reportFile(module.source)), { recursive: true })
  writeFileSync(reportFile(module.source), JSON.stringify(report, null, 2))
}
const all = reports.flatMap(({ mutants }) => mutants)
const killed = all.filter((each) => each.killed).length
console.log(`${killed} of ${all.length} mutants killed, ${open} survivors or explanations to look at`)
process.exit(open === 0 && all.length > 0 ? 0 : 1)
