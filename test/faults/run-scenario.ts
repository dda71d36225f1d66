import type { Defence } from './defences.ts'
import type { Findings, Scenario, Size } from './scenario.ts'

/** Runs a scenario, and leaves the cluster sound for the next one however it ended. */
export const runScenario = async <Ground extends { readonly heal: () => Promise<void> }>(
  cluster: Ground,
  { run }: Scenario<Ground>,
  size: Size,
  without?: Defence,
): Promise<Findings> => {
  try {
    return await run(cluster, size, without)
  } finally {
    await cluster.heal()
  }
}
