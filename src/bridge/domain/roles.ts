/** The roles of a bridge process. Each can run in as many processes as there are partitions. */
export const roles = ['ingress', 'projector', 'egress', 'archiver', 'console'] as const
export type Role = (typeof roles)[number]
