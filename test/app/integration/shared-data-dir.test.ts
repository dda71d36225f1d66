import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Role } from '../../../src/bridge/domain/roles.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { world } from '../../support/world.ts'

const here = await world()
const dataDir = temporaryFolder()
const link = () => runCommand(['console', 'link'], { ...here.env, DATA_DIR: dataDir })

const sharing = suite('processes with one role each that share DATA_DIR')
sharing.after(here.stop)

sharing('start at the same moment, and a command finds the one that it needs while it lives', async () => {
  const roles: ReadonlyArray<Role> = ['ingress', 'console', 'projector', 'egress']
  const places = []
  for (const role of roles) places.push(await here.place([role], {}, dataDir))
  const started = await Promise.all(places.map(({ start }) => start()))
  await eventually('all to be ready', async () =>
    (await Promise.all(started.map(({ isReady }) => isReady()))).every(Boolean),
  )
  const [ingress, withConsole, ...others] = started
  const found = await eventually('the record', async () => {
    const { code, out } = await link()
    return code === 0 && out
  })
  assert.ok(found.startsWith(`${withConsole?.adminUrl}/console/`), found)
  for (const other of [ingress, ...others]) await other?.kill('SIGKILL')
  assert.is((await link()).code, 0)
  await withConsole?.kill('SIGKILL')
  const { code, err } = await link()
  assert.is(code, 1)
  assert.match(err, 'No bridge with a console runs with this DATA_DIR')
})

sharing.run()
