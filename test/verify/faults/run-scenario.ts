import type { Defence } from './defences.ts'
import type { Findings, Scenario, Size } from './scenario.ts'

/** Runs a scenario, and repairs the cluster for the next one, also after a failure. */
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
