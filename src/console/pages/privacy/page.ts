import { page } from '../../page.ts'
import { erasures } from './erasures.ts'

export const privacy = page({
  name: 'privacy',
  title: 'Privacy',
  key: 'p',
  roles: ['privacy'],
  ...erasures,
})
