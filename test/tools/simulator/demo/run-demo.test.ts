import { setImmediate } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Id } from '../../../../contracts/primitives.ts'
import { plain } from '../../../../src/tools/simulator/demo/paint.ts'
import { runDemo } from '../../../../src/tools/simulator/demo/run-demo.ts'
import { createCleanUp } from '../clean-up.ts'
import { createWorld } from './fake-world.ts'

const { started, stopAll } = createCleanUp()

const play = async (refuses: ReadonlyArray<string>, withinMs = 8_000) => {
  const { deps, lines } = started(await createWorld(refuses))
  const score = await runDemo({ ...deps, paint: plain, withinMs })
  return { score, lines }
}

const demo = suite('demo')

demo('every step of the story is played and its expectations are met', async () => {
  const { score, lines } = await play([])
  assert.equal(
    lines.filter((line) => line.includes('✗')),
    [],
  )
  assert.equal(score, { steps: 31, failed: 0 })
  assert.equal(
    lines.map((line) => /^── (.*) ─+$/.exec(line)?.[1]).filter((title) => title !== undefined),
    [
      'Webhooks (Interface A): a call, a chat, an offline message',
      'Sequence 1: answered by the bot',
      'Sequence 2: handed over, an agent joins',
      'Sequence 3: handed over, no agent available',
      'Sequence 4: no regular response in time',
      'How sessions end',
      'What analysts see',
    ],
  )
  assert.match(lines.at(-1) ?? '', /^✓ 31 steps, \d+ expectations met in /)
})

demo('a step takes three to six lines of at most 104 columns', async () => {
  const { lines } = await play([])
  const starts = lines.flatMap((line, i) => (/^ *\d+ \S+.* · /.test(line) ? [i] : []))
  const sizes = starts.map((start) => lines.slice(start + 1).findIndex((line) => !/^( {4}[✓✗]| {15})/.test(line)) + 1)
  assert.equal([sizes.length, Math.min(...sizes), Math.max(...sizes)], [31, 3, 6])
  assert.ok(lines.every((line) => line.length <= 104))
})

demo('an expectation that is not met fails its step, and the story continues', async () => {
  const { score, lines } = await play(['chat_assigned'], 2_000)
  assert.equal(score, { steps: 31, failed: 1 })
  const shown = lines.filter((line) => line.startsWith('    ✗')).map((line) => line.replace(/\s+\d+ ms$/, ''))
  assert.equal(shown, [
    '    ✗ answer   webhook → 503 {"error":{"code":"temporarily_unavailable"}}',
    '    ✗ Kafka    ChatAssigned on chats is not in the log: timed out after 2000 ms',
  ])
})

demo('with odd forms, the story ends with what became of them', async () => {
  const { deps, lines } = started(await createWorld([], { share: 1, seed: 1 }))
  const score = await runDemo({ ...deps, paint: plain, withinMs: 2_000 })
  assert.equal(score, { steps: 38, failed: 0 })
  assert.ok(lines.some((line) => /odd forms · \d+ events also came with an odd field/.test(line)))
})

demo('a bridge that refuses odd forms fails their step', async () => {
  const { deps, lines } = started(await createWorld(['odd'], { share: 1, seed: 1 }))
  const score = await runDemo({ ...deps, paint: plain, withinMs: 2_000 })
  assert.equal(score, { steps: 38, failed: 1 })
  assert.ok(lines.some((line) => line.includes('✗ answer   refused: call_event')))
})

demo('another bot that answers the same messages breaks no step', async () => {
  const { deps } = started(await createWorld([]))
  const said: Promise<void>[] = []
  const bothSay: typeof deps.produceReply = async (command) => {
    await deps.produceReply(command)
    if (command.type !== 'BotMessage') return
    await deps.produceReply({ ...command, id: `${command.id}-other` as Id, message: { type: 'TEXT', text: 'Me too' } })
  }
  const produceReply: typeof deps.produceReply = (command) => {
    const both = bothSay(command)
    said.push(both)
    return both
  }
  // The demo looks for a reply only after both replies were published.
  const findView: typeof deps.findView = async (view, id) => {
    await setImmediate()
    await Promise.all(said)
    return deps.findView(view, id)
  }
  const score = await runDemo({ ...deps, produceReply, findView, paint: plain, withinMs: 2_000 })
  assert.equal(score, { steps: 31, failed: 0 })
})

demo.after.each(stopAll)
demo.run()
