import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../../bridge/domain/accounts.ts'
import type { Refusal } from '../../bridge/http/answer.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Rebuilds } from '../../bridge/mongo/rebuild/rebuilds.ts'
import { commandText, notRecorded } from '../../bridge/operations/audit.ts'
import type { Run } from '../../bridge/operations/operation.ts'
import type { ArchiveDeps } from '../../bridge/operations/rebuild/from-archive.ts'
import { isTemporary, readLogs } from '../../bridge/operations/rebuild/places.ts'
import { rebuild } from '../../bridge/operations/rebuild/rebuild.ts'
import type { ViewName } from '../../bridge/views/index.ts'
import { topicsOfViews, viewNames } from '../../bridge/views/index.ts'
import { rolesFor } from '../access/grants.ts'
import { RebuildBody, type RebuildEnd } from '../answers.ts'
import { decodeAs, type Handlers, type RecordActionOf, unavailable } from '../handler.ts'
import { streamed } from '../run.ts'

export type RebuildDeps = {
  readonly kafka: KafkaPorts
  readonly rebuilds: Rebuilds
  /** Undefined if this process has no keys of the archive. */
  readonly restore: ArchiveDeps['restore']
  readonly accounts: ReadonlyArray<Account>
  readonly recordActionOf: RecordActionOf
}

const forAll: Refusal = {
  status: 403,
  code: 'invalid_client',
  message: 'account: expected the role operator for every account, because a view has all accounts',
}

const noView: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'view: expected all or the name of a view',
}

const viewsOf = (view: string): ReadonlyArray<ViewName> =>
  view === 'all' ? viewNames : viewNames.filter((name) => name === view)

/** True if the topics do not have the first records of the views any more. */
const needsArchive = async (kafka: KafkaPorts, views: ReadonlyArray<ViewName>): Promise<boolean> =>
  [...(await readLogs(kafka, topicsOfViews(views)))].some(([source, { low }]) => low > 0 && !isTemporary(source))

/** Runs `rebuild`. If the caller disconnects, the rebuild is interrupted and can be resumed. */
export const rebuildHandlers = (deps: RebuildDeps): Handlers<'POST /api/accounts/:account/rebuild'> => ({
  'POST /api/accounts/:account/rebuild': async (request) => {
    const { kafka, restore, accounts, recordActionOf } = deps
    const { session } = request
    const asked = decodeAs(RebuildBody, request.body)
    if (E.isLeft(asked)) return asked
    if (!accounts.every(({ id }) => rolesFor(session.grants, id).includes('operator'))) return E.left(forAll)
    const { what, view, dryRun } = asked.right
    const views = what !== 'begin' || view === undefined ? undefined : viewsOf(view)
    if (views?.length === 0) return E.left(noView)
    // The differences contain ids, and for drift names that were sent. So the look is recorded, as for drift itself.
    if (dryRun) {
      const detail = commandText('rebuild', { views, dryRun })
      const recorded = await recordActionOf(session.who)({ action: 'unmask', detail })
      if (E.isLeft(recorded)) return E.left(unavailable(notRecorded(recorded.left)))
    }
    const work = async (run: Run) => {
      if (restore === undefined && views !== undefined && (await needsArchive(kafka, views))) {
        run.say(
          'The first records of the view are only in the archive, and this process has no ARCHIVE_KEY_FILE. Nothing was changed.',
        )
        run.say(`Where the role archiver runs: livechat-bridge rebuild ${view}${dryRun ? ' --dry-run' : ''}`)
        return E.right({ code: 1 })
      }
      const options = {
        ...(views !== undefined && { view: views }),
        ...(what === 'resume' && { resume: true as const }),
        ...(what === 'discard' && { discard: true as const }),
      }
      return rebuild.perform(deps, options, run)
    }
    return streamed(request, recordActionOf, dryRun, work, (ended, say): RebuildEnd => {
      if (E.isLeft(ended)) say(`The rebuild ended early: ${ended.left.reason}`)
      return { ok: E.isRight(ended) && ended.right.code === 0 }
    })
  },
})
