import { count, counted } from '../../browser/format.ts'
import { causeWords } from '../../browser/words.ts'
import type { LettersAnswer, LettersKind } from './letters.ts'

export type Letter = Pick<LettersAnswer['letters'][number], 'cause' | 'topic' | 'reason' | 'chatId'>

/** The causes that are in the content, or in the code that reads it. The same content meets them again. */
const staying: ReadonlySet<string> = new Set([
  'contract',
  'invalid',
  'not-json',
  'unknown-event',
  'too-large',
  'wrong-key',
  'unforeseen',
])

const menders = {
  bot: 'The bot’s team can mend this: the bot must send another reply.',
  writer: 'The team that writes the enrichments can mend this.',
  bridge: 'Only an update of the bridge can mend this.',
} as const

const menderOf = ({ cause, topic }: Letter): keyof typeof menders => {
  if (cause === 'unforeseen') return 'bridge'
  return topic === 'bot-replies' ? 'bot' : topic === 'enrichments' ? 'writer' : 'bridge'
}

const onlyOf = (values: ReadonlyArray<string>): string | undefined =>
  new Set(values).size === 1 ? values[0] : undefined

/** Why these letters failed. */
export const reasonOf = (letters: ReadonlyArray<Letter>): string => {
  const causes = letters.map(({ cause }) => causeWords(cause))
  const cause = onlyOf(causes)
  if (cause === undefined) return counted(new Set(causes).size, 'cause')
  const reasons = letters.map(({ reason = '' }) => reason)
  const reason = onlyOf(reasons)
  if (reason === undefined) return `${cause}, for ${counted(new Set(reasons).size, 'reason')}`
  return reason === '' ? cause : `${cause}: ${reason}`
}

/** The chat of these letters, or how many chats. Undefined if no letter is of a chat. */
export const chatsOf = (letters: ReadonlyArray<Letter>): string | undefined => {
  const chats = letters.flatMap(({ chatId }) => (chatId === undefined ? [] : [chatId]))
  const chat = onlyOf(chats)
  if (chat !== undefined) return `Chat ${chat}`
  return chats.length === 0 ? undefined : counted(new Set(chats).size, 'chat')
}

/**
 * That sending again will hardly help, and who can help. Undefined if it may help. A dry run knows whether a request is
 * understood now; of a letter it only knows that it can be sent.
 */
export const warningOf = (kind: LettersKind, letters: ReadonlyArray<Letter>, sent: number): string | undefined => {
  if (kind === 'quarantine') return sent === 0 ? menders.bridge : undefined
  const those = letters.filter(({ cause }) => staying.has(cause))
  if (those.length === 0) return undefined
  const which = those.length < letters.length ? `${count(those.length)} of them` : those.length === 1 ? 'It' : 'They'
  const who = [...new Set(those.map(menderOf))].map((mender) => menders[mender])
  return [`${which} will most likely fail again.`, ...who].join(' ')
}

/** What sending these letters again does, for people who must decide about it. */
export const effectOf = (kind: LettersKind, letters: ReadonlyArray<Letter>): string => {
  if (kind === 'quarantine')
    return 'A request that is understood now appears in conversations and statistics, and a bot may answer it although it is old. This cannot be undone.'
  const isReply = ({ topic }: Letter) => topic === 'bot-replies'
  return [
    ...(letters.some(isReply) ? ['A reply goes to its client now, unless the chat is closed or an agent has it.'] : []),
    ...(letters.every(isReply) ? [] : ['An event appears in conversations and statistics.']),
    'This cannot be undone.',
  ].join(' ')
}
