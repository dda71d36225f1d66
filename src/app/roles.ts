/** The roles of a bridge process. Each can run in as many processes as there are partitions. */
export const roles = ['ingress', 'projector', 'egress', 'archiver', 'console'] as const
export type Role = (typeof roles)[number]

/** The two processes of `npm start`. */
export type PartName = 'front' | 'back'
export const rolesOfPart = {
  front: ['ingress', 'egress'],
  back: ['projector', 'archiver', 'console'],
} as const
export const otherPart = { front: 'back', back: 'front' } as const
