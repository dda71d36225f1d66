import type { ViewName } from '../../../contracts/views.ts'

/** How many documents a view has, and its rebuilt one. */
export type Counts = { readonly view: ViewName; readonly live: number; readonly rebuilt: number }

/** Nothing instead of something: rather the log has lost its records than the view was never right. */
export const isSuspect = ({ live, rebuilt }: Counts): boolean => rebuilt === 0 && live > 0

/** `chats: 12 documents, the live view has 15: 3 fewer`. */
export const countText = ({ view, live, rebuilt }: Counts): string => {
  const number = (count: number) => count.toLocaleString('en')
  const difference = rebuilt - live
  const named = difference === 0 ? 'as many' : `${number(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'}`
  return `${view}: ${number(rebuilt)} documents, the live view has ${number(live)}: ${named}`
}
