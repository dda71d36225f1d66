/** The two processes of `npm start`. */
export type PartName = 'front' | 'back'
export const rolesOfPart = {
  front: ['ingress', 'egress'],
  back: ['projector', 'archiver', 'console'],
} as const
export const otherPart = { front: 'back', back: 'front' } as const
