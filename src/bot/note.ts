import type { Enrichment } from '../../contracts/commands/enrichment.ts'
import { mistakesInWords } from '../bridge/domain/check-reply.ts'
import { isJsonObject } from '../bridge/shared/json.ts'
import type { Note, Reply } from './replies.ts'

const summaryTitle = 'Summary'
/** Agents see a few lines beside the chat. */
const maxFields = 20
const maxCharacters = 4_096

/** The note of the replies to an event, if they hand over with one. */
export const handOverNoteOf = (replies: ReadonlyArray<Reply>): Note | undefined => {
  const handOver = replies.find((reply) => reply.kind === 'hand-over')
  if (handOver?.kind !== 'hand-over') return undefined
  const { summary, fields, crmLink } = handOver
  const note: Note = {
    ...(summary !== undefined && { summary }),
    ...(fields !== undefined && { fields }),
    ...(crmLink !== undefined && { crmLink }),
  }
  return Object.keys(note).length === 0 ? undefined : note
}

/** The note as the enrichment of its chat. */
export const enrichmentOf = ({ summary, fields = {}, crmLink }: Note): Enrichment => ({
  customData: [
    ...(summary === undefined ? [] : [{ title: summaryTitle, content: summary }]),
    ...Object.entries(fields).map(([title, content]) => ({ title, content })),
  ],
  ...(crmLink !== undefined && { crmLink }),
})

const ofText = (path: string, value: unknown): ReadonlyArray<string> => {
  if (value === undefined) return []
  if (typeof value !== 'string') return [`${path}: expected text`]
  return value.length > maxCharacters
    ? [`${path}: expected at most ${maxCharacters} characters`]
    : mistakesInWords(path, value)
}

/** What is wrong with a note. It never quotes the note. */
export const mistakesInNote = ({
  summary,
  fields,
  crmLink,
}: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const own = [...ofText('summary', summary), ...ofText('crmLink', crmLink)]
  if (fields === undefined) return own
  if (!isJsonObject(fields)) return [...own, 'fields: expected an object of texts']
  const entries = Object.entries(fields)
  if (entries.length > maxFields) return [...own, `fields: expected at most ${maxFields}`]
  return [
    ...own,
    ...entries.flatMap(([title, content], i) => [
      ...ofText(`fields.${i}.title`, title),
      ...ofText(`fields.${i}.content`, content ?? null),
    ]),
  ]
}
