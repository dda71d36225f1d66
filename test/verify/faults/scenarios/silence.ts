import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** Servers are silent, connections reset or half open: every request gets a response, and work continues later. */
export const silence: Scenario = {
  name: 'silence',
  promises: '6',
  fault: 'SIGSTOP of broker and mongod mid-connection; connections reset; half-open connections',
  controls: ['deadlines of requests'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { broker, mongod, proxy } = cluster
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const [ingress, projector] = [await intake.start(), await place.start()]
    await here.ready(ingress)
    await here.ready(projector)
    const posts = here.recorder([intake])
    const load = posts.drive(streams({ workers: 8, messages: true }), { pauseMs: 10 })
    // Longer than the recorder's timeout.
    const silentMs = 12_000
    const notes: string[] = []
    const failures: string[] = []

    const during = async (what: string, begin: () => void, end: () => void) => {
      await after(50, posts, load)
      begin()
      try {
        await wait(silentMs)
      } finally {
        end()
      }
      const back = performance.now()
      const since = () => `${((performance.now() - back) / 1000).toFixed(1)} s`
      const moves = await here.moves(await here.committed())
      const moved = since()
      const goesOn = moves && (await here.drained(ingress, 60_000)) && (await here.goesOn(120_000))
      notes.push(`${what}: goes on ${moved} after it is back, and has caught up after ${since()}`)
      failures.push(...unless(goesOn, `${what}: does not go on`))
    }
    await during('broker SIGSTOP', broker.freeze, broker.thaw)
    if (size === 'long') {
      await during('mongod SIGSTOP', mongod.freeze, mongod.thaw)
      await during('half-open connections to the broker', proxy.freeze, () => {
        proxy.cut()
        proxy.thaw()
      })
      await during('connections to the broker reset', proxy.cut, proxy.cut)
    }
    posts.halt()
    await load
    const caughtUp = await here.caughtUp()
    const verdict = await here.verdict(posts.history)
    await here.stop()
    const silent = posts.history.filter(({ status }) => status === undefined)
    const slowest = (topic: string) =>
      Math.max(
        ...posts.history.filter(({ chat }) => chat.startsWith(topic)).map(({ sentAt, endedAt }) => endedAt - sentAt),
      )
    return findingsOf(verdict, {
      injected: notes.length,
      failures: [
        ...wrong(
          'requests without an answer',
          silent.map(({ chat, seq, error }) => `${chat} #${seq} ${error}`),
        ),
        ...failures,
        ...unless(caughtUp, 'the projector did not catch up'),
      ],
      notes: [
        `slowest answer of Interface A ${Math.round(slowest('chats'))} ms, of Interface B ${Math.round(slowest('bot'))} ms`,
        ...notes,
      ],
    })
  },
}
