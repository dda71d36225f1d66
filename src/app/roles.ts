/** The two processes of `npm start`. */
export type ChildName = 'front' | 'back'
export const rolesOfChild = {
  front: ['ingress', 'egress'],
  back: ['projector', 'archiver', 'console'],
} as const
export const otherChild = { front: 'back', back: 'front' } as const
