import type { SystemAnswer } from '../pages/system/page.ts'
import { get } from './api.ts'
import { useLoad } from './hooks.ts'
import { OperationCards } from './operation-form.tsx'
import { RebuildCard } from './rebuild-form.tsx'
import type { PageProps } from './route.ts'
import { SystemCards } from './system-cards.tsx'

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
