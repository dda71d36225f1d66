import { runScenario } from './run-scenario.ts'
import type { Scenario, Size } from './scenario.ts'
import { type Control, controlsOf, failedAsItShould, notesOf, type Result, tableOf, wasSkipped } from './table.ts'

/** Runs scenarios and their negative controls, and reports each and all; `say` prints a line with its time. */
export const judged = <Ground extends { readonly heal: () => Promise<void> }>(
  chosen: ReadonlyArray<Scenario<Ground>>,
  size: Size,
  say: (text: string) => void,
) => {
  const results: Result[] = []
  const controls: Control[] = []
  const unsound: string[] = []
  const runFailed = (name: string, error: unknown) => {
    unsound.push(name)
    say(`✘ ${name}: the run itself failed: ${error instanceof Error ? error.stack : error}`)
  }

  return {
    keep: async (ground: Ground): Promise<void> => {
      for (const scenario of chosen) {
        const { name, fault } = scenario
        say(`  ${name}: ${fault}`)
        try {
          const findings = await runScenario(ground, scenario, size)
          results.push({ scenario, findings })
          console.log(`${tableOf([{ scenario, findings }]).split('\n').at(-1)}\n${notesOf([{ scenario, findings }])}`)
          say(findings.failures.length === 0 ? `✓ ${name}: kept` : `✘ ${name}: ${findings.failures.join('; ')}`)
        } catch (error) {
          runFailed(name, error)
        }
      }
    },
    control: async (ground: Ground): Promise<void> => {
      for (const scenario of chosen)
        for (const without of scenario.controls) {
          const name = `${scenario.name} without this: ${without}`
          const findings = await runScenario(ground, scenario, 'short', without).catch((error: Error) => error)
          const result = { scenario, without, findings }
          controls.push(result)
          console.log(controlsOf([result]).split('\n').at(-1))
          if (findings instanceof Error) runFailed(name, findings)
          else if (wasSkipped(result)) say(`- ${name}: skipped`)
          else if (failedAsItShould(result)) say(`✓ ${name}: failed as it should`)
          else say(`✘ ${name}: did not fail`)
        }
    },
    /** Prints the tables; true if every promise was kept and every control failed as it should. */
    end: (): boolean => {
      console.log(`\n${tableOf(results)}\n\n${notesOf(results)}\n\n${controlsOf(controls)}\n`)
      const well =
        unsound.length === 0 &&
        results.every(({ findings }) => findings.failures.length === 0) &&
        controls.every((each) => failedAsItShould(each) || wasSkipped(each))
      const total = results.reduce((sum, { findings }) => sum + findings.accepted, 0).toLocaleString('en')
      say(`${total} events accepted; ${well ? 'promises kept, controls failed as they should' : 'NOT as it should be'}`)
      return well
    },
  }
}
