import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import { conversationOf } from '../../../../src/bridge/domain/conversation.ts'
import { escalationsOf, waitingOf } from '../../../../src/bridge/egress/watchdog/escalations.ts'
import { project } from '../support/project.ts'
import { type Answer, anyAnswers, simulation } from '../support/simulation.ts'
import { appendServiceEvent, projected } from '../support/talk.ts'
import { account, answer, botMessage, inviteAgent, ok } from '../support/values.ts'

const test = suite('no client is left in silence, under any log, service, clock and crash')

/** `rejected` is final. */
const answers: Readonly<Record<string, Answer>> = {
  ...anyAnswers,
  patience: { result: answer(503, '', '20') },
  rejected: { result: answer(400) },
}
const services = fc.array(fc.constantFrom(...Object.keys(answers)), { maxLength: 40 })

const chats = fc.constantFrom('a', 'b')
const steps = fc.array(
  fc.tuple(
    fc.oneof(fc.nat(300), fc.nat(15_000)),
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ does: fc.constant('client-writes' as const), chat: chats }) },
      {
        weight: 3,
        arbitrary: fc.record({
          does: fc.constantFrom('bot-answers' as const, 'bot-says' as const, 'bot-hands-over' as const),
          chat: chats,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          does: fc.constantFrom(
            ...(['AgentJoined', 'AgentUnavailable', 'AgentInvited', 'ChatClosed', 'AgentUnavailable'] as const),
          ),
          chat: chats,
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          does: fc.constantFrom('crash' as const, 'rebalance' as const),
          viewsHold: fc.nat(10).map((tenths) => tenths / 10),
        }),
      },
    ),
  ),
  { minLength: 1, maxLength: 20 },
)

const accounts = [account({ attempts: 100, deadlineMs: 86_000_000, agentUnavailableText: 'Call us.' })]
const [{ bot }] = accounts as [ReturnType<typeof account>]
const minutes = 60_000

test('every turn ends with an answer or one invitation, made when it was due and before its outcome was published', async () => {
  await fc.assert(
    fc.asyncProperty(services, steps, async (service, story) => {
      let requests = 0
      let deaths = 0
      const busyUntil = new Map<string, number>()
      const problems: string[] = []
      const ambiguous: string[] = []
      const now = () => Date.parse(w.time.now())
      const openEscalations = () =>
        [...project(w.log.events as ReadonlyArray<ConversationEvent>).conversations.values()].flatMap((document) =>
          escalationsOf(
            waitingOf(conversationOf(document), (_, at) => at.getTime()),
            bot,
            now(),
          ),
        )
      const w: ReturnType<typeof simulation> = simulation({
        accounts,
        answer: ({ id, chat_id: chatId }) => {
          const kind = service[requests] ?? 'ok'
          if (w.time.monotonic() < (busyUntil.get(chatId) ?? 0)) problems.push(`${id} beside another request`)
          busyUntil.set(chatId, w.time.monotonic() + Math.min(3000, answers[kind]?.afterMs ?? 10))
          requests += 1
          const isDue = openEscalations().some(({ about, dueAt }) => id === `watchdog-${about}` && dueAt <= now())
          if (id.startsWith('watchdog') && !isDue) problems.push(`${id} at ${w.time.monotonic()}`)
          if (kind === 'late' || kind === 'applied') ambiguous.push(id)
          // a final refusal of an invitation leaves nobody to invite, so the service refuses it for now only
          return (kind === 'rejected' && id.startsWith('watchdog') ? answers.error : answers[kind]) ?? { result: ok }
        },
      })
      let worker = await w.start()
      const newest = new Map<string, string>()
      let n = 0
      for (const [afterMs, step] of story) {
        await w.time.pass(afterMs)
        n += 1
        if ('viewsHold' in step) {
          deaths += 1
          busyUntil.clear()
          if (step.does === 'crash') worker.die()
          else worker.lose()
          projected(w, Math.floor(step.viewsHold * w.log.events.length))
          worker = await w.start()
          continue
        }
        const { does, chat: chatId } = step
        const inReplyTo = newest.get(chatId)
        if (does === 'client-writes') {
          newest.set(chatId, `m${n}`)
          appendServiceEvent(w, 'ClientMessageReceived', `m${n}`, chatId)
        } else if (does === 'bot-answers')
          w.command(botMessage(`c${n}`, { chatId, ...(inReplyTo !== undefined && { inReplyTo }) }))
        else if (does === 'bot-says') w.command(botMessage(`c${n}`, { chatId }))
        // Without a message of the client nobody knows whom to invite an agent for if this fails.
        else if (does === 'bot-hands-over') {
          if (inReplyTo !== undefined) w.command(inviteAgent(`c${n}`, chatId))
        } else appendServiceEvent(w, does, `e${n}`, chatId)
      }
      await w.time.pass(15 * minutes)

      assert.equal(problems, [], 'nothing is sent that is not due by the log')
      assert.equal(openEscalations(), [], 'nobody waits at the end')
      assert.ok(w.isDone())
      const times = (ids: ReadonlyArray<string>, id: string) => ids.filter((other) => other === id).length
      for (const id of new Set(w.applied))
        assert.ok(times(w.applied, id) <= 1 + times(ambiguous, id) + deaths, `${id} repeats only what was ambiguous`)
      const invited = w.log.events.flatMap(({ type, id }) => (type === 'AgentInvited' ? [id] : []))
      for (const id of new Set(invited)) assert.ok(times(invited, id) <= 1 + deaths, `${id} is told once`)
    }),
    { numRuns: 300 },
  )
})

test.run()
