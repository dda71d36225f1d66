import type { ActionOption } from '../../../../contracts/commands/operator-action.ts'
import { withheld } from '../../../bridge/domain/person/ids.ts'
import { counted } from '../../browser/format.ts'
import { causeWords } from '../../browser/words.ts'

/** What the audit log recorded, in words, and the chat that it is about. */
export type AuditDetails = { readonly words: string; readonly chat?: string }

const names: Readonly<Record<string, string>> = { client: 'client id', visitor: 'visitor number', id: 'letter' }

/** One option: `letter 10/5`, or only `force`. */
const optionWords = ({ name, value }: ActionOption): string => {
  if (name === 'found-client') return `found client id ${value}`
  if (name === 'found-clients') return `found ${counted(Number(value), 'client')}`
  if (name === 'found-chats') return `found ${counted(Number(value), 'chat')}`
  if (name === 'cause') return `cause “${causeWords(value)}”`
  return value === 'true' ? name : `${names[name] ?? name} ${value}`
}

const titles: Readonly<Record<string, string>> = {
  'redrive send': 'Dead letters',
  'redrive quarantine': 'Requests in quarantine',
  'find person': 'Search for a person',
  erase: 'Person',
  export: 'Person',
}

type Recorded = {
  readonly detail: string
  readonly command?: string
  readonly options?: ReadonlyArray<ActionOption>
}

/** An action without a title of its own, or of a former commit, which has no options, is shown as it was recorded. */
export const auditDetailsOf = ({ command = '', options = [], detail }: Recorded): AuditDetails => {
  const given = Object.fromEntries(options.map(({ name, value }) => [name, value]))
  const { chat } = given
  const about = (words: string): AuditDetails => {
    if (chat === undefined) return { words }
    return chat === withheld ? { words: `${words} ${chat}` } : { words, chat }
  }
  if (command === 'conversation') return about('Conversation')
  if (command === 'record') return { words: `Record ${given.offset} of partition ${given.partition} of ${given.topic}` }
  if (command === 'redrive show')
    return given.quarantine
      ? { words: `Content of request ${given.id} in quarantine` }
      : about(`Content of dead letter ${given.id}`)
  const title = titles[command]
  if (title === undefined) return { words: detail.charAt(0).toUpperCase() + detail.slice(1) }
  return { words: options.length > 0 ? `${title}: ${options.map(optionWords).join(', ')}` : title }
}
