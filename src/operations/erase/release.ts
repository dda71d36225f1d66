import { userInfo } from 'node:os'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { RetainState, SilentPersons, Waiting } from '../../mongo/silent-persons.ts'
import { notRecorded, ofAccount, type RecordAction } from '../audit.ts'

type Servers = {
  readonly silentPersons: Pick<SilentPersons, 'retainStates' | 'keepRelease'>
  readonly recordAction: RecordAction
  readonly clock: () => Date
  /** Whether the operator agrees. */
  readonly agreed: () => Promise<boolean>
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

type Options = { readonly account?: string; readonly yes?: true; readonly by?: string }

const waitingText = (account: string, { persons, limit, before, since }: Waiting): string =>
  `${account}: ${persons} persons have had no event since before ${before.toISOString()}, and wait since ${since.toISOString()}. Without you at most ${limit} are erased in a day, and nobody whose records the broker has received since.`

const isWaiting = (state: RetainState): state is RetainState & { readonly waiting: Waiting } =>
  state.waiting !== undefined

/** Shows who waits, and with an account lets them be erased. Returns the exit code. */
export const release =
  ({ account, yes, by = userInfo().username }: Options) =>
  async ({ silentPersons, recordAction, clock, agreed, out, err }: Servers): Promise<number> => {
    const states = (await silentPersons.retainStates()).filter(isWaiting)
    const those = states.filter(({ _id }) => account === undefined || _id === account)
    for (const { _id, waiting } of those) out(waitingText(_id, waiting))
    const [state] = those
    if (state === undefined) {
      out(`Nobody${account === undefined ? '' : ` of ${account}`} waits to be erased by privacy.retainDays.`)
      return account === undefined ? 0 : 1
    }
    if (account === undefined) {
      out('Check the clocks and `privacy.retainDays`. To erase them: livechat-bridge erase release --account <id>')
      return 0
    }
    if (!yes && !(await agreed())) {
      err('Nothing was released. Answer yes, or use --yes.')
      return 1
    }
    const { before } = state.waiting
    const detail = `erase release, persons without an event since ${before.toISOString()}`
    const recorded = await recordAction({ action: 'erase', detail, ...ofAccount(account) })
    if (E.isLeft(recorded)) {
      err(notRecorded(recorded.left))
      return 1
    }
    await silentPersons.keepRelease(account, { before, by, at: clock() })
    out('Released: the archiver erases them within minutes, each with a receipt.')
    return 0
  }

export const releaseCommand = (run: (job: (servers: Servers) => Promise<number>) => Promise<void>): Command =>
  new Command('release')
    .description(
      'Show how many persons `privacy.retainDays` would erase who wait for an operator: more than the larger of 20 persons and 5 % of an account in a day, or persons whose newest records the broker has received later than their events say. With an account, let the archiver erase them.',
    )
    .option('--account <id>', 'the account whose persons are erased')
    .option('--yes', 'do not ask for confirmation')
    .option('--by <name>', 'who releases them (default: the user of this process)')
    .action((options: Options) => run(release(options)))
