import type { Role } from '../bridge/domain/roles.ts'

/**
 * The code of each role, and of the parts that not every process with a role runs. A process loads that of its own roles
 * only, so it starts sooner and takes less memory.
 */
export const roleCode = {
  ingress: () => import('./roles/ingress.ts'),
  projector: () => import('./roles/projector.ts'),
  archiver: () => import('./roles/archiver.ts'),
  egress: () => import('./roles/egress.ts'),
  console: () => import('./roles/console.ts'),
  retention: () => import('./roles/retention.ts'),
  retainDays: () => import('./roles/retain-days.ts'),
} satisfies Record<Role | 'retention' | 'retainDays', () => Promise<unknown>>
