import { eventually } from '../../../support/eventually.ts'
import { wrongDocuments } from '../checker.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { areFinished, botLogic, type Outcome, outcomesIn } from '../replies.ts'
import { checkReplies, type SentReply } from '../reply-checker.ts'
import type { Scenario } from '../scenario.ts'

const first = (chat: string): SentReply => ({ chat, id: `r-${chat}`, text: `reply to ${chat}` })
const last = (chat: string): SentReply => ({ chat, id: `last-${chat}`, text: `last reply to ${chat}` })

const isDuplicate = ({ type, data }: Outcome) => type === 'BotReplyFailed' && data.reason === 'duplicate'

/** Commands are sent again under their id, some with other content; the worker is killed during this. */
export const sameId: Scenario = {
  name: 'same-id',
  promises: '10',
  fault: 'commands again under the same id, half of them with other content; egress worker SIGKILL among them',
  controls: ['a command id with other content is told', 'what was delivered is known after a crash'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without, { replyWithin: 3_600_000 })
    const { shown } = here
    const place = await here.place(['egress', 'projector'])
    const worker = await place.start()
    await here.ready(worker)
    const chats = Array.from({ length: size === 'long' ? 400 : 40 }, (_, i) => String(1_000 + i))
    const withinMs = without === undefined ? 120_000 : 40_000
    const bot = await botLogic(here)
    await bot.say(chats.map(first))
    await areFinished(here, chats.length, withinMs)

    const isOther = (chat: string) => Number(chat) % 2 === 1
    const again = (chat: string) => ({ ...first(chat), ...(isOther(chat) && { text: `something else to ${chat}` }) })
    const [before, after] = [chats.slice(0, chats.length / 2), chats.slice(chats.length / 2)]
    await bot.say(before.map(again))
    const hasDuplicate = async () => outcomesIn(await here.log()).some(isDuplicate) || undefined
    await eventually('a duplicate', hasDuplicate, withinMs / 4).catch(() => undefined)
    // The worker has these commands in progress when it is killed.
    await bot.say(before.map(again))
    await worker.kill('SIGKILL')
    await bot.say(after.map(again))
    await place.start()
    // A chat's commands are handled in order: when the last one is finished, all are.
    await bot.say(chats.map(last))
    const finished = (await areFinished(here, 2 * chats.length, withinMs)) && (await here.caughtUp(withinMs))
    await bot.stop()
    const log = await here.log()
    const [expected, actual] = [await here.fold(), await here.documents()]
    await here.stop()

    const verdict = checkReplies([...chats.map(first), ...chats.map(last)], shown())
    const failed = outcomesIn(log).filter(({ type }) => type === 'BotReplyFailed')
    // A command that is read again after the kill is reported again, under the same event id.
    const told = [...new Map(failed.map((event) => [event.id, event])).values()]
    const isTold = (chat: string) => {
      const events = told.filter(({ subject }) => subject === chat)
      const times = isOther(chat) ? (before.includes(chat) ? 2 : 1) : 0
      return events.length === times && events.every(isDuplicate)
    }
    const texts = Map.groupBy(shown(), ({ id }) => id)
    return {
      injected: 2 * before.length + after.length + 1,
      accepted: 2 * chats.length,
      lost: verdict.missing.length,
      duplicated: verdict.repeated,
      inverted: verdict.inverted.length,
      longestStall: verdict.longestStall,
      failures: [
        ...unless(finished, 'not every reply has an outcome'),
        ...wrong('replies that the service never had', verdict.missing),
        ...wrong('replies out of order', verdict.inverted),
        ...wrong(
          'commands delivered more than once',
          [...texts].filter(([, all]) => all.length > 1).map(([id]) => id),
        ),
        ...wrong('texts of a second command', verdict.renamed),
        ...wrong(
          'chats without exactly one failure for each duplicate',
          chats.filter((chat) => !isTold(chat)),
        ),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`${2 * before.length + after.length} commands came again, ${told.length} of them told as duplicate`],
    }
  },
}
