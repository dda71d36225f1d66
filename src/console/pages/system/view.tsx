import { get } from '../../browser/api.ts'
import { useLoad } from '../../browser/hooks.ts'
import type { PageProps } from '../../browser/route.ts'
import { SystemCards } from '../../browser/system-cards.tsx'
import { OperationCards } from './operation-form.tsx'
import type { SystemAnswer } from './page.ts'
import { RebuildCard } from './rebuild-form.tsx'

const pollMs = 5_000

/** The health of the bridge, how far its consumers are behind, and the rebuild of views. */
export const SystemPage = ({ account, roles }: PageProps) => {
  const system = useLoad('', (signal) => get<SystemAnswer>('system', signal), pollMs)
  return (
    <>
      <div class="page-head">
        <h1>System</h1>
        <p class="muted">The bridge itself, for all accounts</p>
      </div>
      <div class="cards two">
        <SystemCards system={system} />
        {roles.includes('operator') && <RebuildCard account={account} views={system.value?.views ?? []} />}
        <OperationCards account={account} />
      </div>
    </>
  )
}
