import { pages } from './pages/index.ts'

/** The pages in the order of the menu, without what only the server has. The script gets them as JSON (assets.ts). */
export const menu = pages.map(({ name, title, key, roles }) => ({ name, title, key, roles }))
