import type { ReplyMessage } from '../../contracts/commands/bot-reply.ts'
import type { Id } from '../../contracts/primitives.ts'

/** What a bot answers: a message, or the client's hand-over to an agent. */
export type Reply = { readonly kind: 'message'; readonly message: ReplyMessage } | { readonly kind: 'hand-over' }

/** Plain text. */
export const text = (words: string): Reply => ({ kind: 'message', message: { type: 'TEXT', text: words } })

/** Markdown with links, bold and italic, the protocol's first version; anything else is refused as a dead letter. */
export const markdown = (content: string): Reply => ({ kind: 'message', message: { type: 'MARKDOWN', content } })

/** One to three ready answers under a title; a click comes back as a client's message, often as plain text. */
export const buttons = (title: string, answers: Readonly<Record<string, string>>): Reply => ({
  kind: 'message',
  message: {
    type: 'BUTTONS',
    title,
    buttons: Object.entries(answers).map(([id, words]) => ({ id: id as Id, text: words })),
  },
})

/** An agent shall take over. */
export const handOver = (): Reply => ({ kind: 'hand-over' })
