/** What a process of the bridge may do; each can run in as many processes as there are partitions. */
export const roles = ['ingress', 'projector', 'egress'] as const
export type Role = (typeof roles)[number]
