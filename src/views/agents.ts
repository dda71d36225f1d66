import type { Agent } from '../../contracts/events/parts.ts'

/** Agents without an id are the same only if everything else is the same. */
const nameOf = (agent: Agent) => agent.id ?? JSON.stringify(agent)

/** Agents by id in the order of their first appearance, each with its newest data. */
export const withAgents = (agents: ReadonlyArray<Agent>, others: ReadonlyArray<Agent> = []): Agent[] => [
  ...new Map([...agents, ...others].map((agent) => [nameOf(agent), agent])).values(),
]
