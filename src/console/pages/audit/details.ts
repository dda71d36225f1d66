import { counted } from '../../browser/format.ts'
import { causeWords } from '../../browser/words.ts'

/** What the audit log recorded, in words, and the chat that it is about. */
export type AuditDetails = { readonly words: string; readonly chat?: string }

const ids: Readonly<Record<string, string>> = { client: 'client id', visitor: 'visitor number', id: 'letter' }

/** `client id 1701` of `client:1701`, `3 chats` of `chats:3`. */
const foundWords = (each: string): string => {
  const [kind = '', ...rest] = each.split(':')
  const value = rest.join(':')
  return kind === 'chats' || kind === 'clients'
    ? counted(Number(value), kind.slice(0, -1))
    : [ids[kind] ?? kind, value].filter(Boolean).join(' ')
}

/** One option as it is recorded: `id 10/5` or `force true`. */
const optionWords = (option: string): string => {
  const [name = '', ...rest] = option.split(' ')
  const value = rest.join(' ')
  if (name === 'found')
    return `found ${value
      .split(/ (?=[a-z]+:)/)
      .map(foundWords)
      .join(', ')}`
  if (name === 'cause') return `cause “${causeWords(value)}”`
  return value === 'true' ? name : [ids[name] ?? name, value].filter(Boolean).join(' ')
}

const optionsOf = (text: string): string => text.split(', ').map(optionWords).join(', ')
const withOptions = (what: string, text: string | undefined): string => (text ? `${what}: ${optionsOf(text)}` : what)

type Form = readonly [pattern: RegExp, words: (...groups: ReadonlyArray<string>) => AuditDetails]

const forms: ReadonlyArray<Form> = [
  [/^conversation (\S+)$/, (chat = '') => ({ words: 'Conversation', chat })],
  [/^conversation (.+)$/, (chat) => ({ words: `Conversation ${chat}` })],
  [
    /^record (.+)\/(\d+)\/(\d+)$/,
    (topic, partition, offset) => ({ words: `Record ${offset} of partition ${partition} of ${topic}` }),
  ],
  [/^redrive show, id ([^,]+), quarantine true$/, (id) => ({ words: `Content of request ${id} in quarantine` })],
  [/^redrive show, id ([^,]+), chat (\S+)$/, (id, chat = '') => ({ words: `Content of dead letter ${id}`, chat })],
  [/^redrive show, id ([^,]+)$/, (id) => ({ words: `Content of dead letter ${id}` })],
  [/^redrive send(?:, (.+))?$/, (options) => ({ words: withOptions('Dead letters', options) })],
  [/^redrive quarantine(?:, (.+))?$/, (options) => ({ words: withOptions('Requests in quarantine', options) })],
  [/^find person, (.+)$/, (options) => ({ words: withOptions('Search for a person', options) })],
  [
    /^(?:erase|export), ((?:client|visitor|chat|email|phone|userToken)\b.*)$/,
    (options) => ({ words: withOptions('Person', options) }),
  ],
]

/** A detail in an unknown form is shown as it was recorded. */
export const auditDetailsOf = (detail: string): AuditDetails => {
  for (const [pattern, words] of forms) {
    const found = pattern.exec(detail)
    if (found !== null) return words(...found.slice(1))
  }
  return { words: detail.charAt(0).toUpperCase() + detail.slice(1) }
}
