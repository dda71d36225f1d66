import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accountBacklog, type Deferred } from '../../../../src/bridge/egress/delivery/account-backlog.ts'
import { commandMemory } from '../../../../src/bridge/egress/delivery/take-commands.ts'

const test = suite('the backlog of an account')

const atMost = { inAll: 6, ofEach: 2, held: 100 }
const memory = 1_000

type Command = Deferred & { readonly bytes: number }
type Step =
  | { readonly kind: 'read'; readonly chat: string; readonly bytes: number }
  | { readonly kind: 'end'; readonly which: number }
  | { readonly kind: 'fetch'; readonly reaches: number }
  | { readonly kind: 'other account'; readonly bytes: number }

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('read' as const),
        chat: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        bytes: fc.integer({ min: 1, max: 300 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fetch' as const), reaches: fc.nat(8) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('other account' as const), bytes: fc.integer({ min: 0, max: 600 }) }),
    },
  ),
  { maxLength: 200 },
)

test('in any order of reading, ending and fetching: bounds hold, chats stay in order, and every command begins once', () => {
  fc.assert(
    fc.property(steps, (all: ReadonlyArray<Step>) => {
      const shares = commandMemory(memory)
      let ofOther = 0
      const it = accountBacklog('own', shares, atMost)
      const read: Command[] = []
      const begun: Command[] = []
      const running: Command[] = []
      const begin = (command: Command) => {
        begun.push(command)
        running.push(command)
        const ofChat = begun.filter(({ chat }) => chat === command.chat).map(({ offset }) => offset)
        assert.equal(
          ofChat,
          ofChat.toSorted((a, b) => a - b),
          'a chat keeps its order',
        )
        assert.ok(running.length <= atMost.inAll)
        assert.ok(running.filter(({ chat }) => chat === command.chat).length <= atMost.ofEach)
        const own = running.reduce((sum, { bytes }) => sum + bytes, 0)
        assert.ok(running.length === 1 || own + ofOther <= memory)
      }
      const end = (which: number) => {
        const [command] = running.splice(which % Math.max(1, running.length), 1)
        if (command !== undefined) it.ended(command.chat, command.bytes)
      }
      const fetch = (reaches: number) => {
        for (const { offset } of it.next().slice(0, reaches)) {
          const command = read[offset]
          if (command === undefined || !it.begin(command, command.bytes)) return
          begin(command)
        }
      }
      const take = (step: Step) => {
        switch (step.kind) {
          case 'read': {
            const command = { chat: step.chat, offset: read.length, isHandOver: false, bytes: step.bytes }
            read.push(command)
            if (it.admit(command.chat, command.bytes) === 'begins') begin(command)
            else it.defer(command)
            return
          }
          case 'end':
            return end(step.which)
          case 'fetch':
            return fetch(step.reaches)
          case 'other account':
            shares.giveBack('other', ofOther)
            ofOther = shares.hasRoomFor('other', step.bytes) ? step.bytes : 0
            return shares.take('other', ofOther)
        }
      }
      for (const step of all) {
        take(step)
        assert.is(it.deferred(), read.length - begun.length)
      }
      shares.giveBack('other', ofOther)
      ofOther = 0
      while (running.length > 0 || it.deferred() > 0) {
        const before = begun.length
        end(0)
        fetch(atMost.inAll)
        assert.ok(running.length > 0 || begun.length > before || it.deferred() === 0, 'what is deferred begins')
      }
      assert.equal(
        begun.map(({ offset }) => offset).sort((a, b) => a - b),
        read.map(({ offset }) => offset),
      )
    }),
    { numRuns: 500 },
  )
})

test('what may begin next is close together in the log: one command of each chat after the other', () => {
  const it = accountBacklog('own', commandMemory(), { inAll: 4, ofEach: 4, held: 100 })
  for (let i = 0; i < 4; i += 1) it.admit('other', 1)
  for (let offset = 0; offset < 40; offset += 1) it.defer({ chat: `chat-${offset % 4}`, offset, isHandOver: false })
  for (let i = 0; i < 4; i += 1) it.ended('other', 1)
  assert.equal(
    it.next().map(({ offset }) => offset),
    [0, 1, 2, 3],
  )
})

test('an account may use as much memory as nobody uses, and always enough for one command', () => {
  const shares = commandMemory(100)
  const shareOf = (account: string) => ({
    hasRoomFor: (bytes: number) => shares.hasRoomFor(account, bytes),
    take: (bytes: number) => shares.take(account, bytes),
    giveBack: (bytes: number) => shares.giveBack(account, bytes),
  })
  const [first, second] = [shareOf('first'), shareOf('second')]
  assert.is(first.hasRoomFor(500), true)
  first.take(50)
  assert.equal([first.hasRoomFor(1), second.hasRoomFor(500)], [false, true])
  second.take(20)
  assert.equal([second.hasRoomFor(10), second.hasRoomFor(11)], [true, false])
  first.giveBack(50)
  assert.is(second.hasRoomFor(60), true)
})

test.run()
