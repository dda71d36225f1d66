import { page } from '../../page.ts'
import { erasures } from './erasures.ts'
import { person } from './person.ts'

export const privacy = page({
  name: 'privacy',
  title: 'Privacy',
  key: 'p',
  roles: ['privacy'],
  routes: { ...person.routes, ...erasures.routes },
  handlers: (backend: Parameters<typeof person.handlers>[0] & Parameters<typeof erasures.handlers>[0]) => ({
    ...person.handlers(backend),
    ...erasures.handlers(backend),
  }),
})
