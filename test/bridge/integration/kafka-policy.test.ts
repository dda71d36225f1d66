import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runOperation } from '../../support/operation.ts'
import { ownBroker } from '../../support/own-broker.ts'
import { connectTestKafka } from '../kafka/connect.ts'

const run = promisify(execFile)

/** What managed clusters forbid: records above 8 MiB (of calls: above 1 MiB), topics for ever, compaction, and some names. */
const policy = `
import org.apache.kafka.common.errors.PolicyViolationException;
public class Rules implements org.apache.kafka.server.policy.CreateTopicPolicy {
  public void configure(java.util.Map<String, ?> configs) {}
  public void close() {}
  public void validate(RequestMetadata asked) {
    java.util.Map<String, String> set = asked.configs();
    long most = asked.topic().endsWith(".calls") ? 1048576 : 8388608;
    if (Long.parseLong(set.getOrDefault("max.message.bytes", "0")) > most
        || "-1".equals(set.get("retention.ms"))
        || "compact".equals(set.get("cleanup.policy"))
        || asked.topic().endsWith(".audit"))
      throw new PolicyViolationException("not allowed here");
  }
}`

const withPolicy = async (usual: string): Promise<string> => {
  const folder = temporaryFolder()
  const jars = join(folder, 'jars')
  mkdirSync(jars)
  for (const name of readdirSync(usual)) symlinkSync(join(usual, name), join(jars, name))
  writeFileSync(join(folder, 'Rules.java'), policy)
  await run('javac', ['-cp', join(usual, '*'), '-d', folder, join(folder, 'Rules.java')])
  const classes = readdirSync(folder).filter((name) => name.endsWith('.class'))
  await run('jar', ['cf', join(jars, 'rules.jar'), '-C', folder, ...classes])
  return jars
}

const policies = suite('topics of a cluster with rules')
const hasCompiler = await run('javac', ['-version']).then(
  () => true,
  () => false,
)
const test = hasCompiler ? policies : policies.skip

test('a topic that the rules refuse is reported with its settings, and the commands for somebody else are printed', async () => {
  const broker = await ownBroker(['create.topic.policy.class.name=Rules'], withPolicy)
  const kafka = await connectTestKafka('managed.', broker.brokers)
  const reports = right(await kafka.ensureTopics())
  const refused = new Map(
    reports.filter(({ partitions }) => partitions === 0).map(({ name, differences }) => [name, differences.join()]),
  )
  const byHand = '(`livechat-bridge topics --print` has the command for whoever may)'
  const told = (what: string) =>
    `does not exist and cannot be created: POLICY_VIOLATION: the cluster refuses ${what} ${byHand}`
  assert.equal(
    ['chats', 'calls', 'enrichments', 'audit', 'bot-replies', 'quarantine', 'dead-letters'].map((name) =>
      refused.get(`managed.${name}`),
    ),
    [
      told('retention.ms=-1'),
      told('retention.ms=-1, max.message.bytes=7340032'),
      told('cleanup.policy=compact'),
      told('the topic itself'),
      undefined,
      undefined,
      undefined,
    ],
  )
  assert.ok(reports.some(({ name, created }) => name === 'managed.bot-replies' && created))

  const { out } = await runOperation(['topics', '--print'], { kafka, topicPrefix: 'managed.', retentionDays: 14 })
  const line = out.find((each) => each.includes('--topic managed.chats '))
  assert.is(
    line,
    'kafka-topics.sh --bootstrap-server "$KAFKA_BROKERS" --create --if-not-exists --topic managed.chats --partitions 4' +
      ' --config cleanup.policy=delete --config retention.ms=-1 --config retention.bytes=-1' +
      ' --config segment.ms=86400000 --config max.message.bytes=7340032 --config message.timestamp.type=LogAppendTime',
  )
  await kafka.stop()
  await broker.stop()
})

policies.run()
