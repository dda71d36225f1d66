import type { Agent } from '../../contracts/events/parts.ts'

/** Agents by id in the order of their first appearance, each with its newest data. */
export const withAgents = (agents: ReadonlyArray<Agent>, others: ReadonlyArray<Agent>): Agent[] => [
  ...new Map([...agents, ...others].map((agent) => [agent.id, agent])).values(),
]
