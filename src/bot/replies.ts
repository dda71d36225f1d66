import type { ReplyMessage } from '../../contracts/messages/index.ts'
import type { Id } from '../../contracts/primitives.ts'

/** What the agent sees beside the chat when accepting it. */
export type Note = {
  /** What it is about. */
  readonly summary?: string
  /** Fields by their titles, in this order. */
  readonly fields?: Readonly<Record<string, string>>
  /** The client's card in the CRM. */
  readonly crmLink?: string
}

/** A bot's reply: a message, or the hand-over of the client to an agent. */
export type Reply =
  | { readonly kind: 'message'; readonly message: ReplyMessage }
  | ({ readonly kind: 'hand-over'; readonly reason?: string } & Note)

/** Plain text. */
export const text = (words: string): Reply => ({ kind: 'message', message: { type: 'TEXT', text: words } })

/**
 * Markdown with links, bold and italic (the protocol's first version). Of other Markdown, clients see the plain text,
 * unless the account has `bot.markdown: refuse`.
 */
export const markdown = (content: string): Reply => ({ kind: 'message', message: { type: 'MARKDOWN', content } })

type Button = { readonly id: string; readonly text: string }

/**
 * One to three buttons under a title, in the order of the list. A click arrives as a client's message, often as plain
 * text. With `forceReply` the client must choose a button.
 */
export const buttons = (
  title: string,
  answers: ReadonlyArray<Button>,
  { forceReply }: { readonly forceReply?: boolean } = {},
): Reply => ({
  kind: 'message',
  message: {
    type: 'BUTTONS',
    title,
    buttons: answers.map(({ id, text }) => ({ id: id as Id, text })),
    ...(forceReply !== undefined && { forceReply }),
  },
})

/**
 * Asks the service to invite an agent. `reason` says why, for people: operators read it in `deliveries`. The agent sees
 * `summary`, `fields` and `crmLink` when accepting the chat.
 */
export const handOver = ({ reason, summary, fields, crmLink }: { readonly reason?: string } & Note = {}): Reply => ({
  kind: 'hand-over',
  ...(reason !== undefined && { reason }),
  ...(summary !== undefined && { summary }),
  ...(fields !== undefined && { fields }),
  ...(crmLink !== undefined && { crmLink }),
})
