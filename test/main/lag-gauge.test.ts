import { Registry } from 'prom-client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lagGauge } from '../../src/main/lag-gauge.ts'

const lag = suite('lag gauge')

lag('a partition is told of as long as its reader does, and is forgotten a minute after', async () => {
  const registry = new Registry()
  let now = 0
  const tell = lagGauge([registry], () => now)
  const told = async () =>
    (await registry.metrics()).split('\n').flatMap((line) => /partition="(\d)"} (\d+)/.exec(line)?.slice(1) ?? [])

  tell('projector', 'chats', 1, 500)
  tell('projector', 'chats', 2, 7)
  now = 50_000
  tell('projector', 'chats', 2, 0)
  assert.equal(await told(), ['1', '500', '2', '0'])
  now = 60_001
  assert.equal(await told(), ['2', '0'])
  tell('projector', 'chats', 1, 3)
  assert.equal(await told(), ['2', '0', '1', '3'])
})

lag.run()
