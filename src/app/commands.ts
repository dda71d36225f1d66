import * as E from 'fp-ts/lib/Either.js'
import { type Role, roles } from '../bridge/domain/roles.ts'
import { operation } from '../bridge/operations/operation.ts'
import { anyText, type ReadOption } from '../bridge/operations/options.ts'
import { consoleLink } from '../console/operation.ts'
import { contractsCheck, contractsPublish, contractsRelease } from '../tools/publishing/operations.ts'
import { sample } from '../tools/publishing/sample.ts'
import { checkConfig } from './check-config.ts'
import { demo } from './demo.ts'
import { operations } from './operations.ts'
import { start } from './start.ts'

const rolesOf: ReadOption<ReadonlyArray<Role>> = (text) => {
  const names = text.split(',').map((name) => name.trim())
  const found = roles.filter((role) => names.includes(role))
  return names.every((name) => roles.some((role) => role === name))
    ? E.right(found)
    : E.left(`some of ${roles.join(', ')}`)
}

const share: ReadOption<number> = (text) => {
  const number = Number(text)
  return text.trim() !== '' && number >= 0 && number <= 1 ? E.right(number) : E.left('a number from 0 to 1')
}

const seed: ReadOption<number> = (text) => {
  const number = Number(text)
  return text.trim() !== '' && Number.isInteger(number) && number >= 0 && number < 2 ** 32
    ? E.right(number)
    : E.left('a whole number from 0 to 4294967295')
}

const startBridge = operation({
  name: 'start',
  summary:
    'run the bridge until SIGINT or SIGTERM, which drain and stop it: in two processes, front (ingress, egress) and back (projector, archiver, console; lower priority)',
  options: {
    role: {
      about: `which of ${roles.join(', ')} to run in one process, with commas between them; a role can run in as many processes as there are partitions. Without it all run, in two processes`,
      value: 'roles',
      read: rolesOf,
    },
  },
  needs: {},
  select: async (_: object, { role }) => E.right(role),
  act: async (_, role) => E.right({ code: await start(role), result: undefined }),
})

const playDemo = operation({
  name: 'demo',
  summary: 'play every webhook and the four bot sequences against a running bridge, or against one that it starts',
  options: {
    odd: {
      about:
        'a share of the events, from 0 to 1, that also come in an odd form: one field with a wrong value, left out, nested or repeated',
      value: 'share',
      read: share,
    },
    seed: {
      about: 'the seed that a run with --odd has printed, to send the same odd forms again',
      value: 'number',
      read: seed,
    },
    say: {
      about:
        'play nothing: be a client. It writes these messages, then what you type, in one chat, and what your bot answers is printed',
      value: 'text',
      read: anyText,
      many: 'any',
    },
  },
  needs: {},
  select: async (_: object, options) => E.right(options),
  act: async (_, options) => E.right({ code: await demo(options), result: undefined }),
})

/** Every command of `livechat-bridge`. */
export const commands = [
  startBridge,
  checkConfig,
  playDemo,
  consoleLink,
  ...operations,
  contractsCheck,
  contractsRelease,
  contractsPublish,
  sample,
] as const
