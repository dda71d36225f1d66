import { accountPath, base, get } from '../../browser/api.ts'
import { count } from '../../browser/format.ts'
import { useLoad } from '../../browser/hooks.ts'
import { pathOf } from '../../browser/route.ts'
import type { LettersAnswer } from '../dead-letters/letters.ts'

/** The link to the dead letters of a chat, if it has any. Without a number if they could not be counted. */
export const ChatLetters = ({ account, chat }: { readonly account: string; readonly chat: string }) => {
  const query = new URLSearchParams({ chat })
  const path = `${accountPath(account, 'dead-letters')}?${query}&limit=1`
  const { value, trouble } = useLoad(path, (signal) => get<LettersAnswer>(path, signal))
  if (trouble === undefined && (value === undefined || value.count === 0)) return null
  const size = trouble === undefined && value !== undefined ? ` (${count(value.count)})` : ''
  return <a href={`${base}${pathOf(account, 'dead-letters', `${query}&state=all`)}`}>Dead letters of this chat{size}</a>
}
