/** A change to a source file that takes a defence out; `find` stands there exactly once. */
export type Edit = { readonly file: string; readonly find: string; readonly put: string }

/** By name: what is switched off in a negative control. */
export const defences = {
  'acknowledgement by the broker': [
    { file: 'src/kafka/produce/connection.ts', find: 'const acks = -1', put: 'const acks = 0' },
  ],
  'acknowledgement by all replicas': [
    { file: 'src/kafka/produce/connection.ts', find: 'const acks = -1', put: 'const acks = 1' },
  ],
  'a failing partition waits alone': [
    {
      file: 'src/kafka/produce/producer.ts',
      find: 'if (gone.signal.aborted || due.size === 0) return',
      put: 'if (gone.signal.aborted || due.size === 0 || alone.size > 0) return',
    },
  ],
  'keys stay in their partition': [
    {
      file: 'src/kafka/partitioner/partitioner.ts',
      find: 'forKeys: over <= own.of ? over : own.of',
      put: 'forKeys: own.of',
    },
  ],
  'what waits in the journal goes first': [
    {
      file: 'src/journal/failover.ts',
      find: "mode: recordsInJournal > 0 ? 'failed-over' : 'direct'",
      put: "mode: recordsInJournal > 0 ? 'direct' : 'direct'",
    },
  ],
  'commit after MongoDB has acknowledged': [
    {
      file: 'src/kafka/consumer/partition-reader.ts',
      find: 'if (!(await handle(piece.records)) || !isCurrent()) continue',
      put: 'done(piece.next - 1)\n      if (!(await handle(piece.records)) || !isCurrent()) continue',
    },
  ],
  'acknowledgement by a majority': [
    { file: 'src/mongo/client.ts', find: "w: 'majority', wtimeoutMS", put: 'w: 1, wtimeoutMS' },
  ],
  'documents are read as a majority has them': [
    { file: 'src/mongo/store.ts', find: 'readConcern: { level }', put: "readConcern: { level: 'local' }" },
  ],
  'the offsets in each document': [
    {
      file: 'src/projections/applied.ts',
      find: 'return offset <= (applied?.[source] ?? -1) ? undefined : { ...applied, [source]: offset }',
      put: 'return { ...applied, [source]: offset }',
    },
    { file: 'src/projections/applied.ts', find: 'hasSeen(before, event)', put: 'false' },
  ],
  'what is read is folded early where the heap is nearly full': [
    { file: 'src/shared/heap.ts', find: 'const most = 0.6', put: 'const most = 1000' },
  ],
  'the journal': [
    {
      file: 'src/app/bridge.ts',
      find: '...{ ...intake.right, ...tokens, ...clocks },',
      put: `...{ ...intake.right, ...tokens, ...clocks },
        append: kafka.append,
        publish: async (event, withinMs) => E.map(() => 'kafka' as const)(await kafka.publish(event, withinMs)),`,
    },
  ],
  'a checksum for each record of the journal': [
    {
      file: 'src/journal/frame.ts',
      find: "if (crc32(rest.subarray(at.version, end)) !== rest.readUInt32LE(at.checksum)) return E.left('wrong checksum')",
      put: '',
    },
  ],
  'the end of what was acknowledged': [
    {
      file: 'src/journal/segment.ts',
      find: '? { start: headerSize, acknowledged: header.readUIntLE(at.acknowledged, 6) }',
      put: '? { start: headerSize, acknowledged: headerSize }',
    },
  ],
  'a journal that cannot be opened ends the start': [
    {
      file: 'src/journal/journals.ts',
      find: 'unlock()\n    return opened',
      put: "unlock()\n    return openJournals({ ...options, dir: join(root, 'next') })",
    },
  ],
  'journals without a process are adopted': [
    {
      file: 'src/journal/journals.ts',
      find: 'adoptOthers(root, dir, options)',
      put: 'Promise.resolve({ orphans: [], unusable: [] })',
    },
  ],
  'the cap of the journal': [
    {
      file: 'src/journal/journals.ts',
      find: 'used() + bytes <= options.maxBytes',
      put: 'used() + bytes <= options.maxBytes * 1000',
    },
  ],
  'a full disk is a refusal': [
    {
      file: 'src/journal/writer.ts',
      find: 'return { taken: bodies.length, outcome: full }',
      put: 'return { taken: bodies.length, outcome: E.right(undefined) }',
    },
  ],
  'deadlines of requests': [
    {
      file: 'src/ingress/app.ts',
      find: 'within(withinMs, port(subject, withinMs), late)',
      put: 'within(withinMs * 1000, port(subject, withinMs), late)',
    },
    {
      file: 'src/ingress/bot.ts',
      find: 'within(left(ctx), take(ctx)',
      put: 'within(left(ctx) * 1000, take(ctx)',
    },
    { file: 'src/app/intake.ts', find: 'const budgetMs = 1000', put: 'const budgetMs = 1000000' },
  ],
  'a consumer that tells of its trouble': [
    { file: 'src/kafka/consumer/consume.ts', find: 'if (trouble === undefined) return', put: 'if (true) return' },
  ],
  'a damaged batch is one record': [
    {
      file: 'src/kafka/kafkajs-patches/batch-decoder.ts',
      find: 'if (instead === undefined) throw error',
      put: 'throw error',
    },
    { file: 'src/kafka/kafkajs-patches/batch-decoder.ts', find: 'if (kept !== undefined) return kept', put: '' },
  ],
  'dead letters': [
    {
      file: 'src/projections/projector.ts',
      find: 'else if (record.topic !== botReplies.name) refused.push({ record, why: decoded.left })',
      put: "else if (record.topic !== botReplies.name) throw new Error('cannot be read')",
    },
  ],
  'an outage is told from a fault of the message': [
    {
      file: 'src/mongo/classify.ts',
      find: "kind: isOwnFault(error) ? 'permanent' : 'transient'",
      put: "kind: isOwnFault(error) ? 'permanent' : 'permanent'",
    },
  ],
  'an owner begins where the one before has committed': [
    { file: 'src/kafka/consumer/positions.ts', find: 'wanted ?? committed ?? low', put: 'wanted ?? low' },
  ],
  'what is in flight is finished': [
    { file: 'src/http/server.ts', find: 'await within(limits.leaveMs, allClosed(), () => undefined)', put: '' },
    { file: 'src/http/server.ts', find: 'await within(limits.partMs, allClosed(), () => undefined)', put: '' },
    { file: 'src/http/server.ts', find: 'await within(limits.graceMs, closed, () => undefined)', put: '' },
  ],
  'a bound on nesting': [
    { file: 'src/domain/read-json.ts', find: 'const deepest = 32', put: 'const deepest = Infinity' },
  ],
  'limits of time for a request': [
    { file: 'src/http/limits.ts', find: 'headersMs: 5_000', put: 'headersMs: 500_000' },
    { file: 'src/http/limits.ts', find: 'requestMs: 10_000', put: 'requestMs: 600_000' },
    { file: 'src/http/limits.ts', find: 'botMs: 2_500', put: 'botMs: 250_000' },
  ],
  'an id for each webhook': [
    { file: 'src/ingress/webhooks.ts', find: 'id: randomUUID()', put: 'id: contentHash(account, body)' },
  ],
  'a repetition is known by its content': [
    { file: 'src/projections/applied.ts', find: 'contentHash !== undefined && contentHash === lastHash', put: 'false' },
  ],
  'what is large is compressed': [
    {
      file: 'src/kafka/produce/partition-queue.ts',
      find: 'isCompressed: bytes > limits.bytes',
      put: 'isCompressed: false',
    },
  ],
  'documents below 16 MiB': [
    { file: 'src/projections/timeline.ts', find: 'bytes <= mostDataBytes', put: 'bytes >= 0' },
  ],
  'bounds of bodies without credentials': [
    { file: 'src/http/limits.ts', find: 'tokenBodyBytes: 8 * kibibyte', put: 'tokenBodyBytes: 8 * mebibyte' },
    {
      file: 'src/http/limits.ts',
      find: 'allTokenBodiesBytes: 16 * mebibyte',
      put: 'allTokenBodiesBytes: 4000 * mebibyte',
    },
  ],
  'the delay after failures': [
    { file: 'src/http/client-address.ts', find: 'debtOf(address) > freeMs + mostWaiting * betweenMs', put: 'false' },
    { file: 'src/http/client-address.ts', find: 'return Math.max(0, debt - freeMs)', put: 'return 0' },
  ],
  'sockets are destroyed with their producer': [
    { file: 'src/kafka/produce/connection.ts', find: 'client.sockets.close()', put: '' },
    {
      file: 'src/kafka/produce/connection.ts',
      find: 'await settled(cluster.disconnect(), 1_000)',
      put: '',
    },
  ],
  'the order of a chat': [
    {
      file: 'src/shared/keyed-queue.ts',
      find: '(last.get(key) ?? Promise.resolve()).then(work)',
      put: 'Promise.resolve().then(work)',
    },
  ],
  'what was delivered is known after a crash': [
    {
      file: 'src/egress/conversation/conversation-now.ts',
      find: 'isFinished: isFinished || isInTail',
      put: 'isFinished: false && (isFinished || isInTail)',
    },
  ],
  'the low-water mark': [
    {
      file: 'src/egress/delivery/partition-work.ts',
      find: 'const upTo = oldest === undefined ? newest : oldest - 1',
      put: 'const upTo = oldest === undefined ? newest : newest',
    },
  ],
  'patience for Retry-After': [
    { file: 'src/egress/delivery/account-gate.ts', find: 'pauseMs(entrant, now), forPace', put: 'forPace' },
    { file: 'src/egress/delivery/retry-policy.ts', find: '(last.retryAfterMs ?? 0)', put: '0' },
  ],
  'invitations during a pause': [
    { file: 'src/egress/delivery/account-gate.ts', find: 'EveryMs = 30_000', put: 'EveryMs = Infinity' },
  ],
  'a command id with other content is told': [
    { file: 'src/egress/delivery/handle-command.ts', find: 'before === digestOf(', put: 'true || digestOf(' },
  ],
  'the breaker and the budget for retries': [
    {
      file: 'src/egress/delivery/circuit-breaker.ts',
      find: 'const failuresToOpen = 10',
      put: 'const failuresToOpen = Number.POSITIVE_INFINITY',
    },
    { file: 'src/egress/delivery/circuit-breaker.ts', find: 'return spent < sum', put: 'return true || spent < sum' },
  ],
  'the watchdog': [
    {
      file: 'src/egress/watchdog/look.ts',
      find: 'for (const escalation of due) await escalate(clientId, escalation)',
      put: 'for (const escalation of []) await escalate(clientId, escalation)',
    },
  ],
} as const satisfies Readonly<Record<string, ReadonlyArray<Edit>>>

export type Defence = keyof typeof defences

/** The source after the edits; throws where one of them does not fit. */
export const weakened = (source: string, edits: ReadonlyArray<Edit>): string =>
  edits.reduce((text, { file, find, put }) => {
    if (text.split(find).length !== 2) throw new Error(`${file} does not have this once: ${find}`)
    return text.replace(find, () => put)
  }, source)
