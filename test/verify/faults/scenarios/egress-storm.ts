import { botReplies } from '../../../../contracts/topics.ts'
import type { Script } from '../../../../src/tools/simulator/behaviour.ts'
import { atRandom } from '../../../support/behaviours.ts'
import { eventually } from '../../../support/eventually.ts'
import { withAdmin } from '../../../support/plain-consumer.ts'
import { earlyAttempts, earlyRequests, untoldAttempts } from '../attempts.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { wait } from '../progress.ts'
import { areFinished, botLogic, eventsIn, outcomesIn, repliesTo } from '../replies.ts'
import { checkReplies, type Kill } from '../reply-checker.ts'
import type { Scenario } from '../scenario.ts'
import { unlikeTranscripts } from '../transcripts.ts'

const chats = Array.from({ length: 200 }, (_, i) => String(1_000 + i))
const [failing = '', ...healthy] = chats
const retryAfterSeconds = 2
/** The service answers these with 429 twice, since a kill may hide what followed the first. They are spread. */
const throttled = new Set(['r-1050-2', 'r-1150-2', 'r-1020-5', 'r-1120-8'])

const attemptsEach = 5

/** 5 % are applied but answered after the client has given up, 10 % are 5xx; one chat accepts only an invitation. */
const storm = (seed: number): Script => {
  const random = atRandom(seed, [
    { share: 0.05, behaviour: { kind: 'late', ms: 4_000 } },
    ...[500, 502, 503].map((status) => ({ share: 0.1 / 3, behaviour: { kind: 'error', status } as const })),
  ])
  return (request) => {
    const { chatId, id, attempt } = request
    if (chatId === failing) return id.startsWith('watchdog-') ? undefined : { kind: 'error', status: 500 }
    if (attempt <= 2 && throttled.has(id)) return { kind: 'too-many-requests', retryAfterSeconds }
    // The last attempts succeed, so that no reply fails for good by chance.
    return attempt < attemptsEach - 1 ? random(request) : undefined
  }
}

/** 200 chats with several replies each. The service is late, fails and sends Retry-After; the worker is killed. */
export const egressStorm: Scenario = {
  name: 'egress-storm',
  promises: '2, 10',
  fault:
    'service applies 5 % and answers late, 10 % 5xx, 429 with Retry-After, one chat always failing; egress worker SIGKILL',
  controls: [
    'the order of a chat',
    'what was delivered is known after a crash',
    'the low-water mark',
    'waiting for Retry-After',
  ],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without, {
      replyWithin: 120_000,
      attempts: attemptsEach,
    })
    const { service, shown, requestsById } = here
    const seed = Math.floor(Math.random() * 2 ** 32)
    service.misbehave(storm(seed))
    const intake = await here.place(['ingress', 'projector'])
    const place = await here.place(['egress'])
    const [ingress, first] = await Promise.all([intake.start(), place.start()])
    await Promise.all([here.ready(ingress), here.ready(first)])
    let egress = first

    service.connect(here.account.id, { webhooksUrl: intake.webhooks, botUrl: intake.bot })
    await Promise.all(chats.map((chat) => service.clientWrites(chat, 'Hello')))
    const replies = repliesTo(chats, size === 'long' ? 10 : 2)
    const bot = await botLogic(here)
    await bot.say(replies)

    /** Whether an offset is committed: only then does a kill lose a reply whose offset was committed too early. */
    const hasCommitted = () =>
      withAdmin(here.brokers, async (admin) => {
        const topics = [`${here.prefix}${botReplies.name}`]
        const offsets = await admin.fetchOffsets({ groupId: `${here.prefix}egress`, topics })
        return offsets.some(({ partitions }) => partitions.some(({ offset }) => Number(offset) > 0))
      }).catch(() => false)
    const kills: Kill[] = []
    for (let i = 1, rounds = size === 'long' ? 2 : 1; i <= rounds; i++) {
      const part = (replies.length * i) / (rounds + 1)
      await eventually(
        'the middle',
        async () => (shown().length >= part && (await hasCommitted())) || undefined,
        120_000,
      )
      await egress.kill('SIGKILL')
      const at = Date.now()
      const finished = new Set(outcomesIn(await here.log()).map(({ data }) => String(data.commandId)))
      kills.push({ at, finished })
      egress = await place.start()
    }
    const finished = await areFinished(here, replies.length, without === undefined ? 120_000 : 40_000)
    const agent = await eventually('an agent', () => service.chat(failing)?.invitations[0], 30_000).catch(
      () => undefined,
    )
    // Repeats would arrive now.
    await wait(1_000)
    await bot.stop()
    const unlike = await unlikeTranscripts(here, healthy, without === undefined ? 60_000 : 20_000)
    const log = await here.log()
    await here.stop()

    const sent = replies.filter(({ chat }) => chat !== failing)
    const verdict = checkReplies(sent, shown(), kills)
    const [requests, outcomes] = [requestsById(), outcomesIn(log)]
    const invited = eventsIn(log).filter(({ type, subject }) => type === 'AgentInvited' && subject === failing)
    const invitations = [...healthy, failing].flatMap((chat) =>
      (service.chat(chat)?.invitations ?? []).map(({ id, at }) => ({ chat, id, at, text: '' })),
    )
    const invitedUnder = new Set(invitations.map(({ chat, id }) => `${chat} ${id}`))
    const misbehaved = service.requests().filter(({ behaviour }) => behaviour?.kind !== 'regular')
    return {
      injected: misbehaved.length + kills.length,
      accepted: replies.length,
      lost: verdict.missing.length,
      duplicated: verdict.repeated,
      inverted: verdict.inverted.length,
      longestStall: verdict.longestStall,
      failures: [
        ...wrong('replies that the service never had', verdict.missing),
        ...wrong('replies out of order', verdict.inverted),
        ...wrong('repeats of what was known to be delivered', verdict.unexplained),
        ...wrong('replies under another id', verdict.renamed),
        ...unlike,
        ...wrong('requests before Retry-After had passed', [
          ...earlyRequests(requests, retryAfterSeconds * 1_000),
          ...earlyAttempts(outcomes, retryAfterSeconds * 1_000, kills),
        ]),
        ...wrong('outcomes that do not tell of their attempts', untoldAttempts(outcomes, requests, kills)),
        ...unless(finished, 'not every reply has an outcome'),
        ...unless(agent !== undefined && invited.length === 1, 'no agent was asked to the chat that always fails'),
        ...unless(invitedUnder.size === 1, `INVITE_AGENT under not one id: ${[...invitedUnder].join(', ')}`),
        // If a worker dies before the log has the outcome, the next worker invites again, as it repeats a reply.
        ...wrong('invitations repeated though known to be delivered', checkReplies([], invitations, kills).unexplained),
      ],
      notes: [
        `${service.requests().length} requests for ${replies.length} replies, ${verdict.repeated} of them shown twice`,
        `seed ${seed}`,
      ],
    }
  },
}
