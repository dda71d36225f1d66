import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountId } from '../../../../contracts/primitives.ts'
import { botReplies } from '../../../../contracts/topics.ts'
import { eventually } from '../../../support/eventually.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Cluster } from '../cluster.ts'
import type { Defence } from '../defences.ts'
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

/** Chats of the healthy account that its service refuses for a while. */
const refusedChats = ['2000', '2001', '2002']
/** So long only the refused chats are tried. */
const aloneMs = 45_000

const roundOf = 50
const withinMs = 20_000

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * The time of a slow reply, about the p99: the median of the slowest ones of all rounds. Other work on the machine slows
 * the replies of a few rounds.
 */
const slowOf = (times: ReadonlyArray<number>) =>
  median(
    Array.from({ length: times.length / roundOf }, (_, i) => Math.max(...times.slice(i * roundOf, (i + 1) * roundOf))),
  )

/** A bridge with two accounts in one partition. The service of the account `stuck` can be away. */
const bridgeOfTwo = async (cluster: Cluster, without: Defence | undefined) => {
  const patient = { replyWithin: 3_600_000, deadlineMs: 3_600_000, attempts: 100 }
  const here = await observedWorld(cluster, without, patient, [stuckAccount])
  const { service, shown, account } = here
  const { id, ...bot } = stuckAccount
  const accounts = [account, { id, bot: { ...bot, baseUrl: service.baseUrl, ...patient } }]
  const accountsFile = join(temporaryFolder(), 'accounts.json')
  writeFileSync(accountsFile, JSON.stringify({ accounts }))
  let isAway = false
  let isRefusing = false
  service.misbehave(({ chatId }) => {
    if (isAway && isStuck(chatId)) return { kind: 'error', status: 503 }
    return isRefusing && refusedChats.includes(chatId) ? { kind: 'error', status: 500 } : undefined
  })
  const place = await here.place(['egress', 'projector'], {
    TOPIC_PARTITIONS: '1',
    BRIDGE_CONFIG: accountsFile,
  })
  const egress = await place.start()
  await here.ready(egress)
  const logic = await botLogic(here)
  const said: SentReply[] = []
  const sentAt = new Map<string, number>()
  const say = async (replies: ReadonlyArray<SentReply>) => {
    for (const { id: replyId } of replies) sentAt.set(replyId, Date.now())
    await logic.say(replies)
    said.push(...replies)
  }
  /** How long each of these replies took. The service stands still while this process reads its requests: once for all. */
  const timesOf = (replies: ReadonlyArray<SentReply>) => {
    const shownAt = new Map(shown().map((reply) => [reply.id, reply.at]))
    return replies.map((reply) => (shownAt.get(reply.id) ?? Number.POSITIVE_INFINITY) - (sentAt.get(reply.id) ?? 0))
  }
  return {
    say,
    timesOf,
    areShown: (replies: ReadonlyArray<SentReply> = said) =>
      service.requests().length >= replies.length && timesOf(replies).every(Number.isFinite),
    isProjected: async () => ((await here.committed()).get(`${here.prefix}${botReplies.name}/0`) ?? 0) >= said.length,
    said: said as ReadonlyArray<SentReply>,
    shown,
    setAway: (now: boolean) => {
      isAway = now
    },
    setRefusing: (now: boolean) => {
      isRefusing = now
    },
    residentMiB: async () => Math.round(((await egress.metric('process_resident_memory_bytes')) ?? 0) / 1024 / 1024),
    stop: async () => {
      await logic.stop()
      await here.stop()
    },
  }
}
type BridgeOfTwo = Awaited<ReturnType<typeof bridgeOfTwo>>

/** Sends replies of the healthy account, slowly and in turns over the bridges. Returns how long a slow one took in each. */
const talk = async (bridges: ReadonlyArray<BridgeOfTwo>, name: string, rounds: number) => {
  const replies = Array.from({ length: rounds * roundOf }, (_, i) => ({
    chat: String(1_000 + (i % 50)),
    id: `${name}-${i}`,
    text: `${name} ${i}`,
  }))
  for (const reply of replies)
    for (const bridge of bridges) {
      await bridge.say([reply])
      await wait(20)
    }
  const areShown = () => bridges.every((bridge) => bridge.areShown(replies))
  await eventually('the replies of the healthy account', areShown, withinMs).catch(() => undefined)
  return bridges.map((bridge) => slowOf(bridge.timesOf(replies)))
}

const sayStuck = async ({ say, said, isProjected }: BridgeOfTwo, count: number) => {
  const before = said.filter(({ chat }) => isStuck(chat)).length
  const replies = Array.from({ length: count - before }, (_, i) => ({
    account: stuckAccount.id,
    chat: String(firstStuckChat + ((before + i) % stuckChats)),
    id: `stuck-${before + i}`,
    text: `stuck ${before + i}`,
  }))
  for (let at = 0; at < replies.length; at += 500) await say(replies.slice(at, at + 500))
  // The views are in the same process as egress: what they do is no part of the outage.
  await eventually('the stuck replies to be in the views', isProjected)
}

/**
 * The service refuses three chats of an account, at first while nobody else writes. Their replies are tried all the time.
 * Then another account's service is away while thousands of its replies are in the log, in the only partition. A second bridge
 * without this fault has the same replies of the healthy account in turns, so other work on the machine slows both.
 */
export const stuckAccountFault: Scenario = {
  name: 'stuck-account',
  promises: '23',
  fault:
    "three chats refused by their account's service; then another account's service away, with 2,000 and 10,000 of its replies in the same partition",
  controls: ['each account has its own bound', 'chats that the service refuses say nothing about the service'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const faulty = await bridgeOfTwo(cluster, without)
    const calm = await bridgeOfTwo(cluster, without)
    const both = [faulty, calm]
    const rounds = size === 'long' ? 10 : 4
    await talk(both, 'warm-up', 1)
    faulty.setRefusing(true)
    await faulty.say(refusedChats.map((chat) => ({ chat, id: `refused-${chat}`, text: `refused ${chat}` })))
    await wait(aloneMs)
    const [refusedMs = Number.NaN, refusedCalmMs = Number.NaN] = await talk(both, 'beside-refused', rounds)
    faulty.setAway(true)
    const backlogs = size === 'long' && without === undefined ? [2_000, 10_000] : [2_000]
    const during: Array<{ readonly backlog: number; readonly ms: number; readonly calmMs: number }> = []
    for (const backlog of backlogs) {
      await sayStuck(faulty, backlog)
      const [ms = Number.NaN, calmMs = Number.NaN] = await talk(both, `during-${backlog}`, rounds)
      during.push({ backlog, ms, calmMs })
    }
    const resident = await faulty.residentMiB()
    faulty.setAway(false)
    faulty.setRefusing(false)
    const backAt = Date.now()
    const isBack =
      without !== undefined ||
      (await eventually('the stuck replies', () => faulty.areShown(), 900_000).then(
        () => true,
        () => false,
      ))
    const drainedS = Math.ceil((Date.now() - backAt) / 1000)
    await faulty.stop()
    await calm.stop()

    const { said, shown } = faulty
    const healthy = said.filter(({ chat }) => !isStuck(chat))
    const verdict = checkReplies(without === undefined ? said : healthy, shown())
    const order = checkReplies(said, shown())
    const slow = during.filter(({ ms, calmMs }) => !(ms <= 2 * calmMs))
    const took = (ms: number) =>
      `a slow reply took ${Number.isFinite(ms) ? `${ms} ms` : `more than ${withinMs / 1_000} s`}`
    const tell = ({ backlog, ms, calmMs }: (typeof during)[number]) =>
      `${took(ms)} with ${backlog} stuck replies of the other account, ${calmMs} ms without`
    const besideRefused = `${took(refusedMs)} beside ${refusedChats.length} refused chats, ${refusedCalmMs} ms without`
    return {
      injected: during.length,
      accepted: said.length,
      lost: verdict.missing.length,
      duplicated: verdict.repeated,
      inverted: order.inverted.length,
      longestStall: Math.max(...during.map(({ ms }) => (Number.isFinite(ms) ? ms : withinMs))),
      failures: [
        ...wrong('replies that the service never had', verdict.missing),
        ...wrong('replies out of order', order.inverted),
        ...unless(isBack, 'the stuck replies do not go on when their service is back'),
        ...unless(refusedMs <= 2 * refusedCalmMs, besideRefused),
        ...slow.map(tell),
      ],
      notes: [
        besideRefused,
        ...during.map(tell),
        `${resident} MiB resident`,
        `all stuck replies sent within ${drainedS} s`,
      ],
    }
  },
}
