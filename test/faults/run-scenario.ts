import type { Cluster } from './cluster.ts'
import type { Defence } from './defences.ts'
import type { Findings, Scenario, Size } from './scenario.ts'

/** Runs a scenario, and leaves the cluster sound for the next one however it ended. */
export const runScenario = async (
  cluster: Cluster,
  { run }: Scenario,
  size: Size,
  without?: Defence,
): Promise<Findings> => {
  try {
    return await run(cluster, size, without)
  } finally {
    await cluster.heal()
  }
}
