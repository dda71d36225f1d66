import { useEffect } from 'preact/hooks'
import { accountPath, post } from '../../browser/api.ts'
import { count } from '../../browser/format.ts'
import { useAction } from '../../browser/hooks.ts'
import { go } from '../../browser/navigation.ts'
import { usePages } from '../../browser/pages.ts'
import { Card, Empty, optionsOf, Said, Select, Table, Time, TroubleBox, Waiting } from '../../browser/parts.tsx'
import { type PageProps, pathOf } from '../../browser/route.ts'
import { driftCodes, driftWords } from '../../browser/words.ts'
import { adviceFor } from './advice.ts'
import type { DriftAnswer } from './page.ts'

const Hidden = () => <span class="hidden-text">hidden</span>

const Row = ({ row, isMasked }: { readonly row: DriftAnswer['rows'][number]; readonly isMasked: boolean }) => (
  <tr>
    <th scope="row">{driftWords(row.kind)}</th>
    <td data-label="Event">
      <bdi>{row.event}</bdi>
      <span class="sub">{row.api}</span>
    </td>
    <td data-label="Field">
      {row.path === undefined ? (
        <Hidden />
      ) : (
        <code>
          <Said text={row.path} />
        </code>
      )}
    </td>
    <td data-label="Came as">
      {row.types.join(', ')}
      {row.expected !== undefined && (
        <span class="sub">
          expected <Said text={row.expected} />
        </span>
      )}
    </td>
    <td data-label="Example">
      {isMasked ? (
        <Hidden />
      ) : (
        <code>
          <Said text={row.example ?? ''} />
        </code>
      )}
    </td>
    <td data-label="Count" class="number">
      {count(row.count)}
    </td>
    <td data-label="Last">
      <Time at={row.lastAt} />
      <span class="sub">
        since <Time at={row.firstAt} />
      </span>
    </td>
  </tr>
)

/** Differences between the service's requests and the contracts. */
export const DriftPage = ({ account, roles, query }: PageProps) => {
  const kind = driftCodes.find((each) => each === query.get('kind')) ?? ''
  const path = accountPath(account, 'drift')
  const filter = new URLSearchParams(kind === '' ? {} : { kind })
  const { rows, trouble, again, hasMore, more, moreTrouble } = usePages<DriftAnswer['rows'][number]>(path, filter)
  const clear = useAction<DriftAnswer>()
  const show = () => clear.run(() => post<DriftAnswer>(`${path}/unmask?${filter}`, {}))
  // Another kind needs another request, and the user must ask again to see it in clear.
  useEffect(clear.clear, [kind])
  const inClear = clear.value?.rows ?? []
  return (
    <>
      <div class="page-head">
        <h1>Drift</h1>
        <p class="muted">What the service sends and the contracts do not know, newest first</p>
      </div>
      <form class="filters" aria-label="Drift" onSubmit={(event: Event) => event.preventDefault()}>
        <Select
          label="Kind"
          value={kind}
          options={[['', 'All'], ...optionsOf(driftCodes, driftWords)]}
          onChange={(next) => go(pathOf(account, 'drift', next === '' ? '' : `kind=${next}`))}
        />
        {!roles.includes('operator') ? (
          <p class="muted">Operators see the fields, and can show examples.</p>
        ) : (
          <div class="row">
            <button type="button" onClick={show} disabled={clear.isBusy}>
              Show examples
            </button>
            <span class="muted">The audit log records that you looked.</span>
          </div>
        )}
      </form>
      <TroubleBox trouble={trouble} again={again} />
      <TroubleBox trouble={clear.trouble} again={show} />
      {rows === undefined && trouble === undefined && <Waiting what="drift" />}
      {rows?.length === 0 ? (
        <Empty title="Nothing unknown has come.">
          The service sends what the contracts describe. There is nothing to do.
        </Empty>
      ) : (
        rows && (
          <div class="stack">
            <Card title="What to do" id="todo">
              <dl class="consequences">
                {adviceFor(rows.map((row) => row.kind)).map(({ kinds: said, todo }) => (
                  <div key={said}>
                    <dt>{said}</dt>
                    <dd>{todo}</dd>
                  </div>
                ))}
              </dl>
            </Card>
            <Table
              caption="What the contracts do not know"
              head={['Kind', 'Event', 'Field', 'Came as', 'Example', 'Count', 'Last']}
              numbers={['Count']}
            >
              {inClear.map((row, i) => (
                <Row key={i} row={row} isMasked={false} />
              ))}
              {rows.slice(inClear.length).map((row, i) => (
                <Row key={inClear.length + i} row={row} isMasked />
              ))}
            </Table>
          </div>
        )
      )}
      <TroubleBox trouble={moreTrouble} again={more} />
      {hasMore && (
        <p class="row">
          <button type="button" onClick={more}>
            More
          </button>
        </p>
      )}
    </>
  )
}
