import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConversationEvent } from '../../../contracts/events/index.ts'
import { project } from './support/project.ts'
import { type Answer, anyAnswers, simulation } from './support/simulation.ts'
import { account, answer, botMessage, ok } from './support/values.ts'

const test = suite('egress with any service and any crash')

const answers: Readonly<Record<string, Answer>> = {
  ...anyAnswers,
  refused: { result: answer(200, '{"error":{"code":"busy"}}'), drops: true },
}
const services = fc.array(fc.constantFrom(...Object.keys(answers)), { maxLength: 60 })
/** Commands as chat and number. Numbers repeat, so some commands are sent again. */
const commands = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(8)), { minLength: 1, maxLength: 30 })
/** A worker dies after this many more requests. At that time, the views hold this part of the log. */
const crashes = fc.array(fc.record({ afterRequests: fc.nat(12), viewsHold: fc.nat(10).map((tenths) => tenths / 10) }), {
  maxLength: 4,
})

const unique = (ids: ReadonlyArray<string>) => [...new Set(ids)]

test('first deliveries are in order and complete, no finished one is repeated, commits stay below open work', async () => {
  await fc.assert(
    fc.asyncProperty(services, commands, crashes, async (service, replies, deaths) => {
      let requests = 0
      const again: string[] = []
      const w: ReturnType<typeof simulation> = simulation({
        accounts: [account({ attempts: 100, deadlineMs: 86_000_000 })],
        answer: (body) => {
          if (finished().includes(body.id)) again.push(body.id)
          requests += 1
          return answers[service[requests - 1] ?? 'ok'] ?? { result: ok }
        },
      })
      const finished = () => w.outcomes().map(({ data }) => String(data.commandId))
      const ids = replies.map(([chat, n]) => `${chat}${n}`)
      const commitsAreSound = () => {
        const committed = ids.slice(0, w.log.committed['bot-replies'])
        assert.ok(committed.every((id) => finished().includes(id)))
      }

      for (const [chat, n] of replies) w.command(botMessage(`${chat}${n}`, { chatId: chat }))
      for (const { afterRequests, viewsHold } of deaths) {
        const worker = await w.start()
        const enough = w.requests.length + afterRequests
        await w.time.until(() => w.isDone() || w.requests.length >= enough)
        commitsAreSound()
        worker.lose()
        w.projector.committed = Math.floor(viewsHold * w.log.events.length)
        const views = project(w.log.events.slice(0, w.projector.committed) as ReadonlyArray<ConversationEvent>)
        for (const [id, document] of views.conversations) w.views.set(`conversations/${id}`, document)
        for (const [id, document] of views.deliveries) w.views.set(`deliveries/${id}`, document)
      }
      await w.start()
      await w.time.until(w.isDone)
      commitsAreSound()

      assert.equal(again, [], 'nothing that was finished goes out again')
      for (const chat of ['a', 'b', 'c']) {
        const ofChat = (all: ReadonlyArray<string>) => unique(all.filter((id) => id.startsWith(chat)))
        assert.equal(ofChat(w.applied), ofChat(ids))
      }
      assert.equal(unique(finished()).sort(), unique(ids).sort())
    }),
    { numRuns: 150 },
  )
})

test('without crashes, a reply is repeated only if the service received it and did not confirm it', async () => {
  await fc.assert(
    fc.asyncProperty(services, commands, async (service, replies) => {
      let ambiguous = 0
      let requests = 0
      const w = simulation({
        accounts: [account({ attempts: 100, deadlineMs: 86_000_000 })],
        answer: () => {
          const kind = service[requests] ?? 'ok'
          requests += 1
          if (kind === 'late' || kind === 'applied') ambiguous += 1
          return answers[kind] ?? { result: ok }
        },
      })
      await w.start()
      for (const [chat, n] of replies) w.command(botMessage(`${chat}${n}`, { chatId: chat }))
      await w.time.until(w.isDone)
      assert.is(w.applied.length - unique(w.applied).length, ambiguous)
    }),
    { numRuns: 100 },
  )
})

test.run()
