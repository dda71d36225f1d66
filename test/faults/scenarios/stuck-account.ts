import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountId } from '../../../contracts/primitives.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import { botLogic } from '../replies.ts'
import { checkReplies, type SentReply } from '../reply-checker.ts'
import type { Scenario } from '../scenario.ts'

const stuckAccount = { id: 'stuck' as AccountId, providerId: 'prov1', token: 'token-of-the-stuck-account' }
const stuckChats = 400
const firstStuckChat = 5_000
const isStuck = (chat: string) => Number(chat) >= firstStuckChat

/** For a busy machine: the p99 of a few hundred replies is that of its worst moment. */
const toleranceMs = 2_000
const withinMs = 20_000

const p99 = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0

/** One account's service is away while thousands of its replies are in the log, in the only partition. */
export const stuckAccountFault: Scenario = {
  name: 'stuck-account',
  promises: '23',
  fault: "one account's service away, with 2,000 and 10,000 of its replies in the partition of another account",
  controls: ['each account has its own bound'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const patient = { replyWithin: 3_600_000, deadlineMs: 3_600_000, attempts: 100 }
    const here = await observedWorld(cluster, without, patient, [stuckAccount])
    const { service, shown, account } = here
    const { id, ...bot } = stuckAccount
    const accounts = [account, { id, bot: { ...bot, baseUrl: service.baseUrl, ...patient } }]
    const accountsFile = join(temporaryFolder(), 'accounts.json')
    writeFileSync(accountsFile, JSON.stringify({ accounts }))
    let isAway = false
    service.misbehave(({ chatId }) => (isAway && isStuck(chatId) ? { kind: 'error', status: 503 } : undefined))
    const place = await here.place(['egress', 'projector'], {
      TOPIC_PARTITIONS: '1',
      BRIDGE_CONFIG: accountsFile,
    })
    const egress = await place.start()
    await here.ready(egress)
    const logic = await botLogic(here)
    const said: SentReply[] = []
    const sentAt = new Map<string, number>()
    const shownAt = () => new Map(shown().map(({ id, at }) => [id, at]))
    /** The service answers in this process, and stops while its requests are read: once for all replies. */
    const areShown = (replies: ReadonlyArray<Pick<SentReply, 'id'>>) => {
      const at = shownAt()
      return replies.every(({ id }) => at.has(id))
    }

    /** Sends replies of the healthy account, one at a time and slowly. Returns how long each one took. */
    const talk = async (name: string, count: number): Promise<ReadonlyArray<number>> => {
      const replies = Array.from({ length: count }, (_, i) => ({
        chat: String(1_000 + (i % 50)),
        id: `${name}-${i}`,
        text: `${name} ${i}`,
      }))
      for (const reply of replies) {
        sentAt.set(reply.id, Date.now())
        await logic.say([reply])
        said.push(reply)
        await wait(20)
      }
      await eventually('the replies of the healthy account', () => areShown(replies), withinMs).catch(() => undefined)
      const at = shownAt()
      return replies.map(({ id }) => (at.get(id) ?? Number.POSITIVE_INFINITY) - (sentAt.get(id) ?? 0))
    }
    let stuck = 0
    const stick = async (count: number) => {
      const replies = Array.from({ length: count - stuck }, (_, i) => ({
        account: stuckAccount.id,
        chat: String(firstStuckChat + ((stuck + i) % stuckChats)),
        id: `stuck-${stuck + i}`,
        text: `stuck ${stuck + i}`,
      }))
      for (let at = 0; at < replies.length; at += 500) await logic.say(replies.slice(at, at + 500))
      said.push(...replies)
      stuck = count
      await wait(2_000)
    }

    const count = size === 'long' ? 300 : 100
    await talk('warm-up', 20)
    const before = p99(await talk('before', count))
    isAway = true
    const backlogs = size === 'long' ? [2_000, 10_000] : [2_000]
    const during: Array<{ readonly backlog: number; readonly p99: number }> = []
    for (const backlog of backlogs) {
      await stick(backlog)
      during.push({ backlog, p99: p99(await talk(`during-${backlog}`, count)) })
      if (without !== undefined) break
    }
    const resident = Math.round(((await egress.metric('process_resident_memory_bytes')) ?? 0) / 1024 / 1024)
    isAway = false
    const backAt = Date.now()
    const healthy = said.filter(({ chat }) => !isStuck(chat))
    const isWhole = size === 'long' && without === undefined
    const goesOn = () => shown().filter(({ chat }) => isStuck(chat)).length >= 100
    const isBack =
      without !== undefined ||
      (await eventually('the stuck replies', isWhole ? () => areShown(said) : goesOn, isWhole ? 900_000 : 120_000).then(
        () => true,
        () => false,
      ))
    const drainedMs = Date.now() - backAt
    await logic.stop()
    await here.stop()

    const verdict = checkReplies(isWhole ? said : healthy, shown())
    const order = checkReplies(said, shown())
    const slow = during.filter(({ p99: ms }) => ms > 2 * before + toleranceMs)
    const tell = ({ backlog, p99: ms }: (typeof during)[number]) =>
      `p99 ${Number.isFinite(ms) ? `${ms} ms` : `above ${withinMs / 1_000} s`} with ${backlog} stuck replies of the other account`
    return {
      injected: during.length,
      accepted: said.length,
      lost: verdict.missing.length,
      duplicated: verdict.repeated,
      inverted: order.inverted.length,
      longestStall: Math.max(0, ...during.map(({ p99: ms }) => (Number.isFinite(ms) ? ms : withinMs))),
      failures: [
        ...wrong('replies that the service never had', verdict.missing),
        ...wrong('replies out of order', order.inverted),
        ...unless(isBack, 'the stuck replies do not go on when their service is back'),
        ...unless(slow.length === 0, `p99 ${before} ms before, and ${slow.map(tell).join(', ')}`),
      ],
      notes: [
        `p99 ${before} ms before, ${during.map(tell).join(', ')}; ${resident} MiB resident`,
        ...(isWhole && isBack ? [`all ${stuck} stuck replies within ${Math.ceil(drainedMs / 1000)} s`] : []),
      ],
    }
  },
}
