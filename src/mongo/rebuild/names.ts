import type { ViewName } from '../../../contracts/views.ts'

/** The collection that one process writes a view's rebuilt documents into: whoever goes on with a rebuild takes names of its own. */
export const rebuiltName = (view: ViewName, writer: string): string => `${view}__rebuild_${writer}`

/** Where it stands while it is about to be the view: nobody ever writes under this name. */
export const swapName = (view: ViewName, writer: string): string => `${view}__swap_${writer}`

const shape = /^[a-z_]+__(?:rebuild|swap)_[0-9a-z]+$/

/** Whether a collection is of a rebuild. */
export const isOfRebuild = (name: string): boolean => shape.test(name)
