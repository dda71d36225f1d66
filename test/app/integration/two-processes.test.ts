import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChildName } from '../../../src/app/pair.ts'
import { parse, raw } from '../../bridge/http/raw.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { world } from '../../support/world.ts'

const here = await world()
const groups = new Set<number>()

/** The processes whose parent is `parent`, with their command lines. */
const childrenOf = (parent: number): ReadonlyArray<readonly [pid: number, command: string]> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, after = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return after.split(' ')[1] === String(parent) ? [[Number(name), command] as const] : []
      } catch {
        return []
      }
    })

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

/** `start` without roles, in a process group of its own, as a terminal does. */
const started = async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/app/cli.ts', 'start'], {
    detached: true,
    env: {
      ...here.env,
      PATH: process.env.PATH,
      DATA_DIR: temporaryFolder(),
      HTTP_PORT: '0',
      ADMIN_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pid = child.pid ?? 0
  groups.add(pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text))
  const lines = () =>
    output.split('\n').flatMap((line): ReadonlyArray<Line> => (line.startsWith('{"level"') ? [JSON.parse(line)] : []))
  const ended = once(child, 'exit').then(([code, signal]) => ({ code: code as number | null, signal }))
  const ready = await eventually(
    'the bridge is ready',
    () => lines().find(({ msg }) => msg === 'the bridge is ready'),
    120_000,
  )
  const parts = () =>
    new Map(
      childrenOf(pid).flatMap(([each, command]): ReadonlyArray<readonly [ChildName, number]> => {
        const name = / child (front|back)/.exec(command)?.[1]
        return name === 'front' || name === 'back' ? [[name, each]] : []
      }),
    )
  const both = parts()
  const webhook = async () => {
    const response = await fetch(`${ready.url}/webhooks/${here.account.webhooks.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: readFileSync('contracts/webhooks/samples/chat_accepted.json'),
    })
    return response.status
  }
  const readiness = async () => {
    const response = await fetch(`${ready.adminUrl}/readyz`)
    const { checks } = (await response.json()) as { checks: Readonly<Record<string, { ok: boolean }>> }
    return { status: response.status, failing: Object.keys(checks).filter((name) => !checks[name]?.ok) }
  }
  return { pid, ended, lines, parts, both, webhook, readiness, adminUrl: String(ready.adminUrl), text: () => output }
}

const gone = (pids: Iterable<number>) => eventually('no process is left', () => ![...pids].some(isAlive) || undefined)

const two = suite('two processes')

two.after(async () => {
  for (const group of groups)
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has ended.
    }
  await here.stop()
})

two(
  'front and back run beside their parent, back at a lower priority, and the operators’ port answers for both',
  async () => {
    const bridge = await started()
    const [front = 0, back = 0] = [bridge.both.get('front'), bridge.both.get('back')]
    const nice = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
    assert.ok(nice(back) > nice(front))
    await eventually('both are ready', async () => (await bridge.readiness()).status === 200 || undefined)
    const metrics = await (await fetch(`${bridge.adminUrl}/metrics`)).text()
    for (const name of [
      'livechat_journal_records 0',
      'livechat_projected_records_total',
      'livechat_check_ok{check="kafka"} 1',
      'livechat_role_info{role="ingress"} 1',
      'livechat_role_info{role="projector"} 1',
    ])
      assert.ok(metrics.includes(name), name)
    assert.is(metrics.match(/^# TYPE livechat_build_info /gm)?.length, 1)
    const page = await fetch(`${bridge.adminUrl}/console/`, { redirect: 'manual' })
    assert.is(page.status, 303)
    assert.is((await fetch(`${bridge.adminUrl}/peer/readiness`)).status, 404)
    const { host, port } = new URL(bridge.adminUrl)
    const whole = `GET ${bridge.adminUrl}/console/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    assert.is(parse(await raw(Number(port), whole)).status, 400)

    // Back is killed: webhooks go on, the operators' port says so, and back is started again.
    process.kill(back, 'SIGKILL')
    await gone([back])
    assert.is(await bridge.webhook(), 200)
    await eventually(
      'only back is missing',
      async () => String((await bridge.readiness()).failing) === 'back' || undefined,
    )
    assert.is((await fetch(`${bridge.adminUrl}/console/`)).status, 503)
    assert.is((await fetch(`${bridge.adminUrl}/livez`)).status, 200)
    await eventually('both are ready again', async () => (await bridge.readiness()).status === 200 || undefined)
    assert.is.not(bridge.parts().get('back'), back)
    assert.is(bridge.parts().get('front'), front)

    // Ctrl-C reaches the whole group, and twice as under npm: everything drains.
    const all = [bridge.pid, ...bridge.parts().values()]
    process.kill(-bridge.pid, 'SIGINT')
    await wait(100)
    process.kill(-bridge.pid, 'SIGINT')
    assert.equal(await bridge.ended, { code: 0, signal: null })
    assert.is(bridge.lines().at(-1)?.msg, 'the bridge has stopped')
    await gone(all)
  },
)

two('if front ends, the bridge ends with an error and leaves no process', async () => {
  const bridge = await started()
  process.kill(bridge.both.get('front') ?? 0, 'SIGKILL')
  assert.equal(await bridge.ended, { code: 1, signal: null })
  assert.match(bridge.text(), /The process with ingress and egress has ended/)
  await gone(bridge.both.values())
})

two('if the parent is killed, front and back end', async () => {
  const bridge = await started()
  process.kill(bridge.pid, 'SIGKILL')
  await bridge.ended
  await gone(bridge.both.values())
})

two.run()
