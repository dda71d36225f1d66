import type { LetterAnswer } from '../pages/dead-letters/letters.ts'
import type { RecordAnswer } from '../record-answer.ts'
import { JsonBlock } from './json-block.tsx'
import { jsonOf } from './json-lines.ts'
import { Said, Table, Time } from './parts.tsx'

type Bytes = RecordAnswer['value']

export const bytesText = (bytes: Bytes): string => {
  if (bytes === null) return ''
  return 'text' in bytes ? bytes.text : `base64: ${bytes.base64}`
}

export const headerOf = (record: RecordAnswer, name: string): string =>
  bytesText(record.headers.find((header) => header.name === name)?.value ?? null)

/** The URL of the trace in a traceparent (W3C Trace Context). Undefined if there is none. */
export const traceUrlOf = (template: string | undefined, traceparent: string): string | undefined => {
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent) ?? []
  if (template === undefined || traceId === undefined) return undefined
  const url = template.replaceAll('{traceId}', traceId)
  return /^https?:\/\//.test(url) ? url : undefined
}

type Props = {
  readonly record: RecordAnswer
  /** The text that is shown as the payload. */
  readonly text: string
  readonly problems: LetterAnswer['problems']
}

/** A record in Kafka: payload, place, key and headers. */
export const RecordView = ({ record, text, problems }: Props) => {
  const json = jsonOf(text)
  const general = json === undefined ? problems : []
  return (
    <>
      <h3>Payload</h3>
      {general.map(({ path, expected }) => (
        <p key={path} class="problem">
          {path}
          {path !== '' && ': '}expected {expected}
        </p>
      ))}
      {json === undefined ? (
        <div class="json" role="region" aria-label="Payload" tabindex={0}>
          {text === '' ? (
            <p class="muted">The record has no value.</p>
          ) : (
            <p class="words">
              <Said text={text} />
            </p>
          )}
        </div>
      ) : (
        <JsonBlock value={json} label="Payload" problems={problems} />
      )}
      <h3>Record</h3>
      <dl class="pairs">
        <div>
          <dt>Topic</dt>
          <dd>{record.topic}</dd>
        </div>
        <div>
          <dt>Partition, offset</dt>
          <dd class="number">
            {record.partition}, {record.offset}
          </dd>
        </div>
        <div>
          <dt>Key</dt>
          <dd>
            <Said text={bytesText(record.key)} />
          </dd>
        </div>
        <div>
          <dt>Appended</dt>
          <dd>
            <Time at={record.time} />
          </dd>
        </div>
      </dl>
      <h3>Headers</h3>
      <Table caption="Headers of the record" head={['Name', 'Value']}>
        {record.headers.map(({ name, value }, i) => (
          <tr key={i}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>
              <Said text={bytesText(value)} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}
