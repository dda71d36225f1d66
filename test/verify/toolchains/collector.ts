import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { eventually } from '../../support/eventually.ts'

export type ReceivedSpan = {
  readonly traceId: string
  readonly parentId: string
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly attributes: Readonly<Record<string, string>>
  /** The ids of the traces that this span links to. */
  readonly links: ReadonlyArray<string>
}

const field = (text: string, name: string) => new RegExp(`^ +${name} *: (.*)$`, 'm').exec(text)?.[1] ?? ''

/** Parses a span from the output of the debug exporter. */
const spanOf = (text: string): ReceivedSpan => {
  const [own = '', links = ''] = text.split(/^Links:$/m)
  return {
    traceId: field(own, 'Trace ID'),
    parentId: field(own, 'Parent ID'),
    id: field(own, 'ID'),
    name: field(own, 'Name'),
    kind: field(own, 'Kind'),
    attributes: Object.fromEntries(
      [...own.matchAll(/^ +-> ([\w.]+): \w+\((.*)\)$/gm)].map(([, name = '', value = '']) => [name, value]),
    ),
    links: [...links.matchAll(/Trace ID: (\w+)/g)].map(([, id = '']) => id),
  }
}

/** A Collector that prints the spans that it receives. They are kept for the test. */
export const startCollector = async (program: string, directory: string) => {
  const port = await anyFree()
  const file = join(directory, 'collector.json')
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
    },
  }
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(program, ['--config', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const ended = once(child, 'close').finally(() => process.off('exit', killWithParent))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await eventually('the Collector to be ready', () => {
    if (child.exitCode !== null) throw new Error(text)
    return text.includes('Everything is ready') || undefined
  })
  return {
    url: `http://127.0.0.1:${port}`,
    text: () => text,
    spans: (): ReadonlyArray<ReceivedSpan> =>
      text
        .split(/^Span #\d+$/m)
        .slice(1)
        .map(spanOf),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
