import { eventually } from '../../../support/eventually.ts'
import { earlyAttempts, earlyRequests } from '../attempts.ts'
import { unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { botLogic, eventsIn, outcomesIn } from '../replies.ts'
import { checkReplies } from '../reply-checker.ts'
import type { Scenario } from '../scenario.ts'
import { message } from '../traffic.ts'

const longPause = { kind: 'too-many-requests', retryAfterSeconds: 999_999_999 } as const
/** The longest pause that the bridge honours. */
const mostPauseMs = 300_000
/** The 30 s between two invitations, and tolerance for a busy machine. */
const invitationWithinMs = 45_000

/** The service requests a pause of decades. Agents are still invited, and replies continue after five minutes. */
export const paused: Scenario = {
  name: 'paused',
  promises: '10, 16',
  fault: 'service answers a reply, and the first invitations, 429 with Retry-After: 999999999, while clients wait',
  controls: ['invitations during a pause'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const settings = { replyWithin: 3_000, deadlineMs: 3_600_000 }
    const here = await observedWorld(cluster, without, settings)
    const { service, shown, requestsById } = here
    let refusals = size === 'long' ? 3 : 1
    const expected = refusals + 1
    service.misbehave(({ id, attempt }) => {
      const isRefused = id.startsWith('watchdog-') ? refusals-- > 0 : id === 'r-first' && attempt === 1
      return isRefused ? longPause : undefined
    })
    const intake = await here.place(['ingress', 'projector'])
    const place = await here.place(['egress'])
    const [ingress, egress] = await Promise.all([intake.start(), place.start()])
    await Promise.all([here.ready(ingress), here.ready(egress)])

    const bot = await botLogic(here)
    const replies = ['first', 'second'].map((which, i) => ({ chat: `${900 + i}`, id: `r-${which}`, text: which }))
    await bot.say(replies.slice(0, 1))
    await eventually('the first 429', () => service.requests().length > 0 || undefined)
    await bot.say(replies.slice(1))
    const clients = Array.from({ length: size === 'long' ? 50 : 10 }, (_, i) => String(1_000 + i))
    const posts = here.recorder([intake])
    await Promise.all(clients.map((chat) => posts.send(message(Number(chat), 1))))

    const invitations = () => service.requests().filter(({ event }) => event?.event === 'INVITE_AGENT')
    const comes = (what: string, isThere: () => boolean, withinMs: number) =>
      eventually(what, () => isThere() || undefined, withinMs).catch(() => false)
    let tried = 0
    while (tried < expected) {
      if (!(await comes('an invitation', () => invitations().length > tried, invitationWithinMs))) break
      tried += 1
    }
    const areCalled = () => clients.every((chat) => (service.chat(chat)?.invitations ?? []).length > 0)
    const called = tried === expected && (await comes('the other agents', areCalled, invitationWithinMs))
    const shownMeanwhile = shown().map(({ id }) => id)
    const goesOn = size === 'short' || (await comes('the replies', () => shown().length > 1, mostPauseMs + 60_000))
    const invited = () => here.log().then((log) => eventsIn(log).filter(({ type }) => type === 'AgentInvited').length)
    const told =
      called &&
      (await eventually('AgentInvited', async () => (await invited()) >= clients.length || undefined).catch(
        () => false,
      ))
    await bot.stop()
    const outcomes = outcomesIn(await here.log())
    const count = await invited()
    await here.stop()

    const times = [service.requests()[0], ...invitations().slice(0, expected)].map((request) => request?.at ?? 0)
    const waits = times.slice(1).map((at, i) => `${((at - (times[i] ?? 0)) / 1_000).toFixed(1)} s`)
    const again = clients.filter((chat) => (service.chat(chat)?.invitations ?? []).length > 1)
    const verdict = checkReplies(replies, shown())
    return {
      injected: expected,
      accepted: replies.length + clients.length,
      lost: size === 'long' ? verdict.missing.length : 0,
      duplicated: verdict.repeated,
      inverted: verdict.inverted.length,
      longestStall: Math.max(0, ...times.slice(1).map((at, i) => at - (times[i] ?? 0))),
      failures: [
        ...unless(tried === expected, `${tried} of ${expected} invitations tried, each within 45 s`),
        ...unless(called && told && count === clients.length, `${count} AgentInvited for ${clients.length} clients`),
        ...wrong('clients for whom an agent was called more than once', again),
        ...wrong('replies shown during the pause', shownMeanwhile),
        ...wrong('requests too early, invitations after 30 s aside', [
          ...earlyRequests(requestsById(), mostPauseMs),
          ...earlyAttempts(outcomes, mostPauseMs, []),
        ]),
        ...unless(goesOn, 'replies do not go on five minutes later'),
      ],
      notes: [`invitations tried after ${waits.join(', ')}; ${clients.length} clients waited`],
    }
  },
}
