import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { operation, type Run, type Stop, stop } from '../../../src/bridge/operations/operation.ts'
import { anyText } from '../../../src/bridge/operations/options.ts'

type Given = { readonly isDry?: boolean; readonly acts?: true; readonly refuses?: 'select' | 'confirm' | 'record' }

/** Runs an operation that writes down each step. */
const stepsOf = async ({ isDry = false, acts, refuses }: Given) => {
  const steps: string[] = []
  const step = (name: string) => void steps.push(name)
  const given = operation({
    name: 'paint',
    summary: 'paint fences',
    options: { colour: { about: 'the colour', value: 'name', read: anyText, default: 'white' } },
    dryRun: { about: 'only look', ...(acts && { acts }) },
    confirm: (fence: string) => fence.endsWith('fence'),
    needs: {},
    select: async (_: object, { colour }, __: Run<string, never>) => {
      step('select')
      return refuses === 'select' ? stop('absent', 'There is no fence.') : E.right(`a ${colour} fence`)
    },
    show: (fence) => [`show ${fence}`],
    action: (fence) => ({ action: 'rebuild', command: `paint ${fence}` }),
    act: async (_, fence) => {
      step('act')
      return E.right({ code: 0, result: fence })
    },
  })
  const run: Run<string, string> = {
    isDry,
    say: step,
    withinMs: 0,
    interruption: () => new AbortController().signal,
    who: 'operator@test',
    confirm: async (fence) => {
      step(`confirm ${fence}`)
      return refuses !== 'confirm'
    },
    recordAction: async ({ command }) => {
      step(`record ${command}`)
      return refuses === 'record' ? E.left({ kind: 'transient', reason: 'the broker is away' }) : E.right(undefined)
    },
  }
  return { ended: await given.perform({}, { colour: 'red' }, run), steps }
}

const all = ['select', 'show a red fence', 'confirm a red fence', 'record paint a red fence', 'act']
const stopped = (kind: Stop['kind'], reason: string) => E.left({ kind, reason })
const unrecorded = 'Nothing was done, since it cannot be recorded on the topic audit: the broker is away'

const rows: ReadonlyArray<{
  readonly name: string
  readonly given: Given
  readonly steps: number
  readonly ended: unknown
}> = [
  {
    name: 'selects, shows, asks, records, acts',
    given: {},
    steps: 5,
    ended: E.right({ code: 0, result: 'a red fence' }),
  },
  {
    name: 'does nothing if there is nothing to select',
    given: { refuses: 'select' },
    steps: 1,
    ended: stopped('absent', 'There is no fence.'),
  },
  {
    name: 'does nothing without a confirmation',
    given: { refuses: 'confirm' },
    steps: 3,
    ended: stopped('unconfirmed', 'Nothing was done, since it was not confirmed.'),
  },
  {
    name: 'does nothing that cannot be recorded',
    given: { refuses: 'record' },
    steps: 4,
    ended: stopped('unrecorded', unrecorded),
  },
  {
    name: 'in a dry run ends after it has shown',
    given: { isDry: true },
    steps: 2,
    ended: E.right({ code: 0, result: undefined }),
  },
]

const running = suite('an operation')

for (const { name, given, steps, ended } of rows)
  running(name, async () => {
    assert.equal(await stepsOf(given), { ended, steps: all.slice(0, steps) })
  })

running('may act in a dry run, which is neither confirmed nor recorded', async () => {
  const { steps } = await stepsOf({ isDry: true, acts: true })
  assert.equal(steps, ['select', 'show a red fence', 'act'])
})

running.run()
