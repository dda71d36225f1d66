import type { Agent } from '../../../contracts/events/parts.ts'

const maxAgents = 1_000

/**
 * Agents by id in the order of their first appearance, each with its newest data. An agent whom the service sent
 * without an id cannot be told from others. A chat keeps the first ones, so that its document stays below MongoDB's
 * limit.
 */
export const withAgents = (agents: ReadonlyArray<Agent>, others: ReadonlyArray<Agent>): Agent[] =>
  [
    ...new Map(
      [...agents, ...others].flatMap((agent) => (agent.id === undefined ? [] : [[agent.id, agent] as const])),
    ).values(),
  ].slice(0, maxAgents)
