import { randomUUID } from 'node:crypto'
import { context, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import type { Sampler } from '@opentelemetry/sdk-trace'
import pino from 'pino'
import type { Log } from '../bridge/shared/log.ts'
import { settled } from '../bridge/shared/timeout.ts'
import type { TracesConfig } from './config.ts'
import type { LogLevel } from './environment.ts'
import { afterUnlessEnded, limitedLog } from './limited-log.ts'
import { version } from './version.ts'

/** Structured logs on stdout, one JSON object per line. It redacts, by name, fields of secrets and personal data. */
const writeLines = (level: LogLevel): Log =>
  pino({
    level,
    base: { service: 'livechat-bridge' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'token',
        'authorization',
        'password',
        'secondToken',
        'secretKey',
        'secondSecretKey',
        'email',
        'phone',
        'name',
        'text',
        'body',
        '*.token',
        '*.authorization',
        '*.password',
        '*.secondToken',
        '*.secretKey',
        '*.secondSecretKey',
        '*.email',
        '*.phone',
        '*.name',
        '*.text',
        '*.body',
      ],
      censor: '[redacted]',
    },
  })

/** The log of a process. Equal lines have a limit each minute. */
export const createLog = (level: LogLevel): Log => limitedLog(writeLines(level), afterUnlessEnded)

const stopWithinMs = 2_000

const loadSdk = async () => {
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
  ])
  return { ...sdk, ...resources, OTLPTraceExporter, AsyncLocalStorageContextManager }
}
type Sdk = Awaited<ReturnType<typeof loadSdk>>

/**
 * Samples the records of a sampled trace. An HTTP request may come from any client, so its trace flag and trace id do
 * not decide whether it is sampled.
 */
const parentBased = (sdk: Sdk, root: Sampler): Sampler => {
  const ofRecords = new sdk.ParentBasedSampler({ root })
  return {
    shouldSample: (parent, traceId, name, kind, attributes, links) =>
      kind === SpanKind.SERVER
        ? root.shouldSample(ROOT_CONTEXT, randomUUID().replaceAll('-', ''), name, kind, attributes, links)
        : ofRecords.shouldSample(parent, traceId, name, kind, attributes, links),
    toString: () => ofRecords.toString(),
  }
}

const samplerOf = (sdk: Sdk, { sampler, ratio }: TracesConfig) => {
  const [kind, isParentBased] = [sampler.replace('parentbased_', ''), sampler.startsWith('parentbased_')]
  const root =
    kind === 'traceidratio'
      ? new sdk.TraceIdRatioBasedSampler(ratio)
      : kind === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.AlwaysOnSampler()
  return isParentBased ? parentBased(sdk, root) : root
}

/**
 * Sends spans to a Collector. Resolves with the stop function. The SDK is loaded only if traces are configured. Spans
 * that the Collector does not accept are dropped, and only the first time is logged.
 */
export const startTraces = async (config: TracesConfig | undefined, log: Log): Promise<() => Promise<void>> => {
  if (config === undefined) return async () => {}
  const sdk = await loadSdk()
  let isTold = false
  const tell = () => {
    if (!isTold) log.warn({}, 'traces cannot be sent to the Collector and are dropped')
    isTold = true
  }
  const nothing = () => {}
  diag.setLogger({ error: tell, warn: nothing, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.ERROR)
  const provider = new sdk.TracerProvider({
    sampler: samplerOf(sdk, config),
    resource: sdk
      .resourceFromAttributes({ 'service.name': 'livechat-bridge', 'service.version': version })
      .merge(sdk.detectResources({ detectors: [sdk.resourceAttributesEnvDetector, sdk.serviceNameEnvDetector] })),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new sdk.OTLPTraceExporter({
          url: `${config.endpoint.replace(/\/$/, '')}/v1/traces`,
          headers: config.headers,
        }),
      }),
    ],
  })
  context.setGlobalContextManager(new sdk.AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  // A Collector that refuses the last spans must not block the shutdown.
  return () => settled(provider.shutdown(), stopWithinMs)
}
