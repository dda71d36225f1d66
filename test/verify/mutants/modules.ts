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

/** The test that replays a whole log without servers. It runs for what the module's own tests leave alive. */
export const replays = 'golden/in-memory.test.ts'

const delivery = [
  'bridge/egress/retries.test.ts',
  'bridge/egress/recovery.test.ts',
  'bridge/egress/accounts.test.ts',
  'bridge/egress/properties.test.ts',
]

export const modules: ReadonlyArray<Module> = [
  {
    source: 'src/bridge/journal/failover.ts',
    tests: ['bridge/journal/failover.test.ts', 'bridge/journal/failover-order.test.ts'],
  },
  {
    source: 'src/bridge/views/applied.ts',
    tests: ['bridge/views/applied.test.ts'],
    explained: {
      'const last = applied?.[source] ?? -2': 'offsets begin with 0',
      'seen.includes(event) || (hasDigest(seenEarlier, digest(event)))': 'saves a hash: nothing is found in no digests',
      'if (false) return document': 'saves a copy of a document without a hash',
      'const isNew = epoch === undefined || before === undefined || before === epoch ? offset > last : epoch >= before':
        'the same epoch is decided before',
      'if (current !== undefined && hasSeen(before, event)) return { ...current, applied: applied }':
        'a record of a document is new here, so it has places',
    },
  },
  {
    source: 'src/bridge/views/positions.ts',
    tests: ['bridge/views/positions.test.ts'],
    explained: { 'if (false) return []': 'saves a question to Kafka when MongoDB lacks nothing' },
  },
  {
    source: 'src/bridge/domain/conversation.ts',
    tests: ['bridge/domain/conversation.test.ts'],
    wider: [
      'bridge/views/conversations.test.ts',
      'bridge/views/sessions.test.ts',
      'bridge/egress/watchdog/watchdog.test.ts',
      'bridge/egress/watchdog/agent-unavailable.test.ts',
    ],
    explained: {
      "false ? current : { ...current, unheard: { status: 'reply-failed', ...current.unheard } }":
        'both callers have found that there is one',
      'heldUntil: heldUntil !== undefined && heldUntil >= until ? heldUntil : until,': 'the same time either way',
      "...(rest.state === 'agent' && { messagesSinceJoined: messagesSinceJoined }),":
        'there is a list since the agent has joined',
      '...({ messagesSinceJoined: [...messagesSinceJoined, id].slice(-maxSinceJoined) }),':
        'is left out afterwards (held) unless an agent has the conversation',
      'if (inReplyTo === after.unheard?.id) return askedAgain(after)':
        'a command of the bridge always names what it is about',
      'if (taken !== undefined && !(answersSinceJoined)) return taken':
        'the list is there only while an agent has the conversation',
    },
  },
  {
    source: 'src/bridge/domain/log/positions.ts',
    tests: ['bridge/domain/log/positions.test.ts'],
    explained: {
      'return ofA > ofB || (ofA === ofB && a.offset > b.offset) ? a : b': 'both are the same position',
    },
  },
  {
    source: 'src/bridge/domain/person/erased.ts',
    tests: ['bridge/domain/person/erased.test.ts', 'bridge/views/enrichments.test.ts'],
    explained: {
      'if (false) return new Set()': 'saves a question: without events or erased keys nothing is found',
      'const older = events.filter((event) => !isErasure(event) && receivedAt(event) <= newest)':
        'an event of that very moment is refused by isErased',
      'const older = published.filter(({ timestamp }) => timestamp <= newest)':
        'an enrichment of that very moment is refused by isErased',
      'const emptied = { ...event, data: withBlanks(marks, split(marks, event.data).open) }':
        'every event has open fields: its account is one',
    },
  },
  {
    source: 'src/bridge/egress/watchdog/escalations.ts',
    tests: ['bridge/egress/watchdog/escalations.test.ts'],
    wider: [
      'bridge/egress/watchdog/watchdog.test.ts',
      'bridge/egress/watchdog/agent-unavailable.test.ts',
      'bridge/egress/watchdog/properties.test.ts',
    ],
  },
  {
    source: 'src/bridge/egress/delivery/gate.ts',
    tests: ['bridge/egress/delivery/account-gate.test.ts', 'bridge/egress/delivery/gate.test.ts'],
    wider: delivery,
    explained: {
      'isOpen(breaker)': 'while the breaker is open no chat is noted, so none is to be forgotten when it closes',
    },
  },
  {
    source: 'src/bridge/egress/delivery/circuit-breaker.ts',
    tests: ['bridge/egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'export const closedBreaker: Breaker = { ...closed, begun: 1, answered: 0 }': 'numbers are only compared',
      'export const closedBreaker: Breaker = { ...closed, begun: 0, answered: 1 }':
        'the first attempt has the number 1',
      'if (false) return 0': 'a closed breaker has no end of its opening and no probe',
      'begun: breaker.begun + 2,': 'numbers are only compared',
      'if (isRepeated || number <= breaker.answered) return breaker': 'an attempt ends once',
      'const chats = true ? new Set(breaker.chats).add(chat) : breaker.chats':
        'saves memory: more chats say nothing more',
      'const chats = breaker.chats.size <= chatsToOpen ? new Set(breaker.chats).add(chat) : breaker.chats':
        'saves memory: more chats say nothing more',
    },
  },
  {
    source: 'src/bridge/egress/delivery/pace.ts',
    tests: ['bridge/egress/delivery/pace.test.ts', 'bridge/egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'const nextToSlowest = 2 / slowest': 'the slowest pace is 1',
    },
  },
  {
    source: 'src/bridge/egress/delivery/pause.ts',
    tests: ['bridge/egress/delivery/pause.test.ts'],
    wider: delivery,
    explained: {
      'export const noPause: Pause = { until: 0, lastResortAt: 1 }': 'the first pause sets it',
      'true ? { ...pause, lastResortAt: now + lastResortEveryMs } : pause': 'the next pause sets it',
      'true ? { ...pause, lastResortAt: now } : pause': 'the next pause sets it',
    },
  },
  {
    source: 'src/bridge/egress/delivery/request-limit.ts',
    tests: ['bridge/egress/delivery/account-gate.test.ts'],
    wider: delivery,
    explained: {
      'return false ? 0 : Math.ceil((missing * 1000) / limit.perSecond)':
        'the gate takes the longest of its waits, and none is negative',
      'return missing < 0 ? 0 : Math.ceil((missing * 1000) / limit.perSecond)': 'nothing missing is no wait either way',
    },
  },
  {
    source: 'src/bridge/egress/delivery/retry-budget.ts',
    tests: ['bridge/egress/delivery/retry-budget.test.ts'],
    wider: delivery,
  },
  {
    source: 'src/bridge/egress/delivery/retry-policy.ts',
    tests: ['bridge/egress/delivery/retry-policy.test.ts'],
    wider: delivery,
    explained: {
      "const refused = last.kind === 'rejected' ? (lastResortEveryMs ?? 1) : 0":
        'without it a refusal has ended the attempts before',
    },
  },
  { source: 'src/bridge/egress/delivery/classify.ts', tests: ['bridge/egress/delivery/classify.test.ts'] },
  {
    source: 'src/bridge/privacy/erase/plan.ts',
    tests: ['bridge/privacy/erase/erase.test.ts', 'bridge/privacy/erase/preview.test.ts'],
    explained: {
      'ids.filter((it) => !enrichmentKeys(accountId, { identities: [it] }).every((key) => keys.includes(key)))':
        'one id has one key',
      'data: { chatId, topic, ...({ clientId }) },': 'JSON leaves out what is undefined',
    },
  },
  {
    source: 'src/bridge/privacy/receipt-words.ts',
    tests: ['bridge/privacy/receipt-words.test.ts', 'console/receipt.test.ts'],
  },
  {
    source: 'src/bridge/privacy/retain-days/limit-daily-erasures.ts',
    tests: ['bridge/privacy/retain-days/limit-daily-erasures.test.ts'],
  },
  {
    source: 'src/bridge/operations/redrive/guard.ts',
    tests: ['bridge/operations/redrive/decisions.test.ts'],
    wider: ['bridge/operations/redrive/send.test.ts'],
  },
  {
    source: 'src/bridge/operations/redrive/batches.ts',
    tests: ['bridge/operations/redrive/decisions.test.ts', 'bridge/operations/redrive/send.test.ts'],
    wider: ['bridge/operations/redrive/requeue-quarantined.test.ts'],
    explained: {
      'const [stoppedNow, isHeld = false] = known': 'only a dry run has no lease, and it sends no batch',
    },
  },
  {
    source: 'src/bridge/operations/redrive/dead-letters.ts',
    tests: ['bridge/operations/redrive/dead-letters.test.ts', 'bridge/operations/redrive/find.test.ts'],
    wider: ['bridge/operations/redrive/decisions.test.ts', 'bridge/operations/redrive/send.test.ts'],
    explained: {
      "export const accountOf = ({ key }: Pick<IncomingRecord, 'key'>): string => String(key ?? '').split('/', 2)[0] ?? ''":
        'only the first part is read',
    },
  },
  {
    source: 'src/bridge/kafka/consumer/committed-offsets.ts',
    tests: ['bridge/kafka/decisions.test.ts', 'bridge/kafka/generations.test.ts'],
    explained: {
      'return from <= low || from > high ? low : from': 'the first offset either way',
      'if (false) return []': 'saves a question to Kafka when there is no topic',
    },
  },
  {
    source: 'src/bridge/kafka/leader-epochs.ts',
    tests: ['bridge/kafka/leader-epochs.test.ts'],
    explained: {
      'if ((broker.versions[apiKey]?.maxVersion ?? 1) < apiVersion) return new Map()': 'less than the version too',
      'return answer !== undefined && answer.epoch === epoch': 'saves a question whose answer is not read',
      'return answer !== undefined && answer.end <= offset': 'saves a question whose answer is not read',
      "return { kind: (newer.get(partition)?.epoch ?? -2) < 0 ? 'replaced' : 'cut', from: answer.end }":
        'less than 0 too',
    },
  },
  {
    source: 'src/bridge/shared/offset-tracker.ts',
    tests: ['bridge/shared/offset-tracker.test.ts'],
    explained: {
      'let mark = 1': 'the first offset sets it',
      'let mark = -2': 'the first offset sets it',
    },
  },
  {
    source: 'src/bridge/mongo/classify.ts',
    tests: ['bridge/mongo/classify.test.ts'],
    explained: {
      'Array.isArray(error.writeErrors) && error.writeErrors.length > 0': 'only bulk writes have write errors',
      'error instanceof MongoBulkWriteError && Array.isArray(error.writeErrors) && error.writeErrors.length > 1':
        'the error of a bulk write has the code of its first write',
      'for (let at = error, depth = 1; at instanceof Error && depth < 10; at = at.cause, depth++) {':
        'no error has so many causes: it only has to end',
      'for (let at = error, depth = 0; at instanceof Error && depth <= 10; at = at.cause, depth++) {':
        'no error has so many causes: it only has to end',
      'for (let at = error, depth = 0; at instanceof Error && depth < 11; at = at.cause, depth++) {':
        'no error has so many causes: it only has to end',
    },
  },
  {
    source: 'src/bridge/ingress/admission.ts',
    tests: [
      'bridge/ingress/rate-limit.test.ts',
      'bridge/ingress/errors.test.ts',
      'bridge/ingress/second-token.test.ts',
    ],
    wider: [
      'bridge/ingress/too-large.test.ts',
      'bridge/ingress/access-token.test.ts',
      'bridge/ingress/oauth.test.ts',
      'bridge/http/server.test.ts',
    ],
    explained: {
      "contentType.split(',').some((each) => each.split(';', 2)[0]?.trim().toLowerCase() === expected)":
        'only the first part is read',
    },
  },
  {
    source: 'src/bridge/http/failure-delay.ts',
    tests: ['bridge/http/failure-delay.test.ts'],
    explained: {
      'if (false) return address': 'an address of IPv4 has no colon: it stays as it is',
      'const zeros = false ? 0 : 8 - head.length - tail.length': 'without :: there are eight groups, so no zeros',
      'const zeros = after === undefined ? 1 : 8 - head.length - tail.length': 'only the first four groups count',
      "return [...head, ...Array(Math.max(1, zeros)).fill('0'), ...tail].slice(0, 4).join(':')":
        'without :: only the first four groups count, and :: is at least one',
      'const sender = false ? network : `${accountId} ${network}`': 'only a name: no account is called undefined',
    },
  },
  {
    source: 'src/bridge/archive/reader.ts',
    tests: ['bridge/archive/reader.test.ts'],
    explained: {
      'const { partition, offset, epoch = 1 } = found.record': 'all records of a log have an epoch, or none has',
      'return { log: { ...log, missing: { partition, offset, detail: found.detail } }, continues: true }':
        'what is lost is never given',
    },
  },
]
