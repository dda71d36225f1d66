import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkReplies, type SentReply, type ShownReply } from './reply-checker.ts'

const reply = (id: string): SentReply => ({ chat: id.slice(0, 1), id, text: `text of ${id}` })
const sent = ['a1', 'a2', 'b1', 'a3'].map(reply)
/** Shown 0.8 s apart, in this order. */
const shown = (...ids: ReadonlyArray<string>): ReadonlyArray<ShownReply> =>
  ids.map((id, i) => ({ ...reply(id), at: i * 800 }))

const well = { missing: [], inverted: [], repeated: 0, unexplained: [], renamed: [], longestStall: 800 }

const checking = suite('reply checker')

checking('replies that were shown once and in order have no fault; chats do not order each other', () => {
  assert.equal(checkReplies(sent, shown('b1', 'a1', 'a2', 'a3')), well)
})

checking('a reply that was never shown is missing, and inverts nothing', () => {
  assert.equal(checkReplies(sent, shown('a1', 'a3', 'b1')), { ...well, missing: ['a2'] })
})

checking('a reply first shown after a later one of its chat is inverted; a repeat is not', () => {
  assert.equal(checkReplies(sent, shown('a2', 'a1', 'b1', 'a3')).inverted, ['a1'])
  assert.equal(checkReplies(sent, shown('a1', 'a2', 'a3', 'a1', 'b1')).inverted, [])
})

checking('a repeat after the time for an answer is explained, one before it is not', () => {
  const late = shown('a1', 'a2', 'b1', 'a3', 'a1')
  assert.equal(checkReplies(sent, late), { ...well, repeated: 1 })
  assert.equal(checkReplies(sent, shown('a1', 'a2', 'a2', 'b1', 'a3')), { ...well, repeated: 1, unexplained: ['a2'] })
})

checking('a repeat across a kill is explained only where the log had no outcome by then', () => {
  const across = shown('a1', 'a2', 'a2', 'b1', 'a3')
  const kill = (...finished: ReadonlyArray<string>) => [{ at: 1_000, finished: new Set(finished) }]
  assert.equal(checkReplies(sent, across, kill('a1')).unexplained, [])
  assert.equal(checkReplies(sent, across, kill('a1', 'a2')).unexplained, ['a2'])
})

checking('a text under another id is told', () => {
  const other = shown('a1', 'a2', 'a3', 'b1').map((each) => (each.id === 'b1' ? { ...each, id: 'b9' } : each))
  assert.equal(checkReplies(sent, other), { ...well, missing: ['b1'], renamed: ['text of b1'] })
})

checking.run()
