import { accountPath, post } from '../../browser/api.ts'
import { useAction } from '../../browser/hooks.ts'
import { JsonBlock } from '../../browser/json-block.tsx'
import { jsonOf } from '../../browser/json-lines.ts'
import { Copy, Panel, Time, TroubleBox } from '../../browser/parts.tsx'
import { bytesText, headerOf, RecordView, traceUrlOf } from '../../browser/record-view.tsx'
import type { StoryEvent } from '../../documents.ts'
import type { RecordAnswer } from '../../record-answer.ts'

type Props = {
  readonly event: StoryEvent
  readonly account: string
  readonly canRead: boolean
  readonly traceUrlTemplate: string | undefined
  readonly close: () => void
}

/** The place of an event in its topic, and on demand its record in Kafka. */
export const EventPanel = ({ event, account, canRead, traceUrlTemplate, close }: Props) => {
  const record = useAction<RecordAnswer>()
  const { topic, partition, offset } = event
  const read = () => record.run(() => post<RecordAnswer>(accountPath(account, 'record'), { topic, partition, offset }))
  const traceUrl = record.value && traceUrlOf(traceUrlTemplate, headerOf(record.value, 'traceparent'))
  return (
    <Panel title={event.type} close={close}>
      <dl class="pairs">
        <div>
          <dt>Topic</dt>
          <dd>{topic}</dd>
        </div>
        <div>
          <dt>Partition, offset</dt>
          <dd class="number">
            {partition}, {offset}
          </dd>
        </div>
        <div>
          <dt>Event id</dt>
          <dd>
            <code>{event.id}</code> <Copy text={event.id} what="the event id" />
          </dd>
        </div>
        <div>
          <dt>Received</dt>
          <dd>
            <Time at={event.time} />
          </dd>
        </div>
      </dl>
      {record.value === undefined ? (
        <>
          <h3>Data</h3>
          <JsonBlock value={event.data} label="The event’s data" />
          {event.extra !== undefined && (
            <>
              <h3>What the contract does not know</h3>
              <JsonBlock value={jsonOf(event.extra) ?? event.extra} label="Fields that the contract does not know" />
            </>
          )}
          {canRead ? (
            <>
              <p>
                <button type="button" onClick={read} disabled={record.isBusy}>
                  Show the raw record
                </button>
              </p>
              <p class="muted">It is shown with personal data. The audit log records that you looked.</p>
            </>
          ) : (
            <p class="muted">The roles lead and privacy can see the raw record.</p>
          )}
          <TroubleBox trouble={record.trouble} again={read} />
        </>
      ) : (
        <>
          {traceUrl !== undefined && (
            <p>
              <a href={traceUrl} target="_blank" rel="noreferrer">
                Open the trace
              </a>
            </p>
          )}
          <RecordView record={record.value} text={bytesText(record.value.value)} problems={[]} />
        </>
      )}
    </Panel>
  )
}
