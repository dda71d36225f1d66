/** A module that keeps a promise, and the tests that must fail when the module is changed. */
export type Module = {
  readonly source: string
  /** Test files below test/ that need no server. */
  readonly tests: ReadonlyArray<string>
  /** Slower ones, which run only for what `tests` leave alive. */
  readonly wider?: ReadonlyArray<string>
  /** Why a mutant may live: by its changed lines. The mutant does the same, or no test without servers can see it. */
  readonly explained?: Readonly<Record<string, string>>
}

/** Test files below test/ that replay a whole log. They run for what the module's own tests leave alive. */
export const replays = 'golden/'

const delivery = ['egress/retries.test.ts', 'egress/accounts.test.ts', 'egress/properties.test.ts']

export const modules: ReadonlyArray<Module> = [
  { source: 'src/bridge/journal/failover.ts', tests: ['journal/failover.test.ts', 'journal/failover-order.test.ts'] },
  {
    source: 'src/bridge/views/applied.ts',
    tests: ['views/applied.test.ts'],
    explained: {
      'const last = applied?.[source] ?? -2': 'offsets begin with 0',
      'seen.includes(event) || (hasDigest(seenEarlier, digest(event)))': 'saves a hash: nothing is found in no digests',
      'if (false) return document': 'saves a copy of a document without a hash',
    },
  },
  {
    source: 'src/bridge/views/positions.ts',
    tests: ['views/positions.test.ts'],
    explained: { 'if (false) return []': 'saves a question to Kafka when MongoDB lacks nothing' },
  },
  {
    source: 'src/bridge/domain/conversation.ts',
    tests: ['domain/conversation.test.ts'],
    wider: [
      'views/conversations.test.ts',
      'views/sessions.test.ts',
      'egress/watchdog/watchdog.test.ts',
      'egress/watchdog/agent-unavailable.test.ts',
    ],
  },
  { source: 'src/bridge/domain/log/marks.ts', tests: ['domain/log-marks.test.ts'] },
  {
    source: 'src/bridge/domain/person/erased.ts',
    tests: ['domain/erased.test.ts', 'views/enrichments.test.ts'],
    explained: {
      'if (false) return new Set()': 'saves a question: without events or erased keys nothing is found',
      'const older = events.filter((event) => !isErasure(event) && receivedAt(event) <= newest)':
        'an event of that very moment is refused by isErased',
      'const older = published.filter(({ timestamp }) => timestamp <= newest)':
        'an enrichment of that very moment is refused by isErased',
    },
  },
  {
    source: 'src/bridge/egress/watchdog/escalations.ts',
    tests: ['egress/watchdog/escalations.test.ts'],
    wider: [
      'egress/watchdog/watchdog.test.ts',
      'egress/watchdog/agent-unavailable.test.ts',
      'egress/watchdog/properties.test.ts',
    ],
  },
  { source: 'src/bridge/egress/delivery/gate.ts', tests: ['egress/delivery/account-gate.test.ts'], wider: delivery },
  {
    source: 'src/bridge/egress/delivery/circuit-breaker.ts',
    tests: ['egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'const closed = { failures: 0, chats: new Set<string>(), openings: 0, openUntil: 1, probing: false }':
        'is read only after the breaker has opened, which sets it',
      'const closed = { failures: 0, chats: new Set<string>(), openings: 0, openUntil: 0, probing: true }':
        'is read only after the breaker has opened, which sets it',
      'export const closedBreaker: Breaker = { ...closed, begun: 1, answered: 0 }': 'numbers are only compared',
      'export const closedBreaker: Breaker = { ...closed, begun: 0, answered: 1 }':
        'the first attempt has the number 1',
      'if (false) return 0': 'a closed breaker has no end of its opening and no probe',
      'begun: breaker.begun + 2,': 'numbers are only compared',
      'if (number <= breaker.answered) return breaker': 'an attempt ends once',
      'const chats = true ? new Set(breaker.chats).add(chat) : breaker.chats':
        'saves memory: more chats say nothing more',
      'const chats = breaker.chats.size <= chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats':
        'saves memory: more chats say nothing more',
    },
  },
  {
    source: 'src/bridge/egress/delivery/pace.ts',
    tests: ['egress/delivery/pace.test.ts', 'egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'const nextToSlowest = 2 / slowest': 'the slowest pace is 1',
    },
  },
  {
    source: 'src/bridge/egress/delivery/pause.ts',
    tests: ['egress/delivery/pause.test.ts'],
    wider: delivery,
    explained: {
      'export const noPause: Pause = { until: 0, lastResortAt: 1 }': 'the first pause sets it',
      'true ? { ...pause, lastResortAt: now + lastResortEveryMs } : pause': 'the next pause sets it',
    },
  },
  {
    source: 'src/bridge/egress/delivery/request-limit.ts',
    tests: ['egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'return false ? 0 : Math.ceil((missing * 1000) / limit.perSecond)':
        'the gate takes the longest of its waits, and none is negative',
      'return missing < 0 ? 0 : Math.ceil((missing * 1000) / limit.perSecond)': 'nothing missing is no wait either way',
    },
  },
  {
    source: 'src/bridge/egress/delivery/retry-budget.ts',
    tests: ['egress/delivery/retry-budget.test.ts'],
    wider: delivery,
  },
  {
    source: 'src/bridge/egress/delivery/retry-policy.ts',
    tests: ['egress/delivery/retry-policy.test.ts'],
    wider: delivery,
  },
  { source: 'src/bridge/egress/delivery/classify.ts', tests: ['egress/delivery/classify.test.ts'] },
  {
    source: 'src/bridge/privacy/erase/plan.ts',
    tests: ['operations/erase/erase.test.ts', 'operations/erase/preview.test.ts', 'console/browser-receipt.test.ts'],
  },
  { source: 'src/bridge/privacy/retention/brake.ts', tests: ['operations/erase/brake.test.ts'] },
  {
    source: 'src/bridge/operations/redrive/guard.ts',
    tests: ['operations/redrive/decisions.test.ts'],
    wider: ['operations/redrive/send.test.ts'],
  },
  {
    source: 'src/bridge/operations/redrive/batches.ts',
    tests: ['operations/redrive/decisions.test.ts', 'operations/redrive/send.test.ts'],
    wider: ['operations/redrive/take-in.test.ts', 'operations/redrive/rows.test.ts'],
  },
  {
    source: 'src/bridge/operations/redrive/dead-letters.ts',
    tests: ['operations/redrive/dead-letters.test.ts', 'operations/redrive/find.test.ts'],
    wider: ['operations/redrive/decisions.test.ts', 'operations/redrive/send.test.ts'],
  },
  {
    source: 'src/bridge/kafka/consumer/committed-offsets.ts',
    tests: ['kafka/decisions.test.ts'],
    explained: {
      'return from <= low || from > high ? low : from': 'the first offset either way',
      'if (false) return []': 'saves a question to Kafka when there is no topic',
    },
  },
  { source: 'src/bridge/kafka/leader-epochs.ts', tests: ['kafka/leader-epochs.test.ts'] },
  {
    source: 'src/bridge/shared/offset-tracker.ts',
    tests: ['shared/offset-tracker.test.ts'],
    explained: {
      'let mark = 1': 'the first offset sets it',
      'let mark = -2': 'the first offset sets it',
    },
  },
  {
    source: 'src/bridge/mongo/classify.ts',
    tests: ['mongo/classify.test.ts'],
    explained: {
      'Array.isArray(error.writeErrors) && error.writeErrors.length > 0': 'only bulk writes have write errors',
      'error instanceof MongoBulkWriteError && Array.isArray(error.writeErrors) && error.writeErrors.length > 1':
        'the error of a bulk write has the code of its first write',
    },
  },
  {
    source: 'src/bridge/ingress/admission.ts',
    tests: ['ingress/rate-limit.test.ts', 'ingress/errors.test.ts', 'ingress/second-token.test.ts'],
    wider: ['ingress/too-large.test.ts', 'ingress/access-token.test.ts', 'ingress/oauth.test.ts'],
    explained: {
      "contentType.split(';', 2)[0]?.trim().toLowerCase() === expected": 'only the first part is read',
      "((await verify(account, header.replace(/^Bearer /i, '').trim())))": 'saves a check: an empty token is none',
    },
  },
  { source: 'src/bridge/http/failure-delay.ts', tests: ['http/failure-delay.test.ts'] },
  {
    source: 'src/bridge/archive/reader.ts',
    tests: ['archive/reader.test.ts'],
    explained: {
      'const { partition, offset, epoch = 1 } = found.record': 'all records of a log have an epoch, or none has',
      'return { log: { ...log, missing: { partition, offset, detail: found.detail } }, continues: true }':
        'what is lost is never given',
    },
  },
]
