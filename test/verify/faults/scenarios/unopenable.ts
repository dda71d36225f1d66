import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** The journal cannot be opened because of an object in its folder, until somebody removes the object. */
export const unopenable: Scenario = {
  name: 'unopenable',
  promises: '5',
  fault: "bridge SIGKILL; the journal's checkpoint is a folder at the next start; then that is put right",
  controls: ['a journal that cannot be opened ends the start'],
  inShort: true,
  shortControls: ['a journal that cannot be opened ends the start'],
  run: async (cluster, size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress'])
    const first = await place.start()
    await here.ready(first)
    const posts = here.recorder([place])
    const dir = join(place.dataDir, 'journal', '1', 'chats')
    const obstacle = join(dir, 'checkpoint')
    broker.freeze()
    const load = posts.drive(streams({ workers: 16 }))
    await after(size === 'long' ? 5_000 : 300, posts, load)
    posts.halt()
    await load
    await first.kill('SIGKILL')
    if (existsSync(obstacle)) throw new Error('something was drained while the broker was frozen')
    mkdirSync(obstacle)
    broker.thaw()
    const ending = await place.start().then(
      async (bridge) => {
        await bridge.kill('SIGKILL')
        return { exitCode: undefined, message: '' }
      },
      ({ exitCode, message }: Error & { readonly exitCode?: number }) => ({ exitCode, message }),
    )
    rmdirSync(obstacle)
    const again = await place.start()
    const drained = await here.drained(again)
    await again.kill('SIGTERM')
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected: 2,
      failures: [
        ...unless(ending.exitCode === 78, `the start ended with ${ending.exitCode ?? 'no exit code'}, and not with 78`),
        ...unless(ending.message.includes(dir), 'the folder is not named'),
        ...unless((statSync(place.dataDir).mode & 0o077) === 0, 'other users can read DATA_DIR'),
        ...unless(drained, 'the journal was not drained'),
      ],
    })
  },
}
