import type { ReplyMessage } from '../../contracts/commands/bot-reply.ts'
import type { Id } from '../../contracts/primitives.ts'

/** What a bot answers: a message, or the client's hand-over to an agent. */
export type Reply = { readonly kind: 'message'; readonly message: ReplyMessage } | { readonly kind: 'hand-over' }

/** Plain text. */
export const text = (words: string): Reply => ({ kind: 'message', message: { type: 'TEXT', text: words } })

/** Markdown with links, bold and italic, the protocol's first version; anything else is refused. */
export const markdown = (content: string): Reply => ({ kind: 'message', message: { type: 'MARKDOWN', content } })

type Button = { readonly id: string; readonly text: string }

/**
 * One to three ready answers under a title, in the order of the list; a click comes back as a client's message, often as plain
 * text. With `forceReply` the client must choose one.
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

/** An agent shall take over. */
export const handOver = (): Reply => ({ kind: 'hand-over' })
