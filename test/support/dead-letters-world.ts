import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KafkaMessage } from 'kafkajs'
import { erasuresIn } from '../../src/bridge/mongo/erasures.ts'
import { redrivesIn } from '../../src/bridge/mongo/redrives.ts'
import { type Ran, runCommand } from './command.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folder.ts'
import { runOperation } from './operation.ts'
import { connectOperator } from './operator.ts'
import { plainClient } from './plain-consumer.ts'
import { world } from './world.ts'

/** A record that a consumer outside of the bridge has read. */
export type Read = Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset'> & {
  readonly topic: string
  readonly partition: number
}

export const header = ({ headers }: Read, name: string) => headers?.[name]?.toString()
/** The id of a dead letter, as `redrive list` prints it. */
export const idOf = ({ partition, offset }: Read) => `${partition}/${offset}`

const topicsRead = ['dead-letters', 'bot-replies', 'bot-conversations', 'calls', 'enrichments']

/**
 * A world whose records are written and read from outside, with the command `redrive`. It begins with a bridge that
 * does not know the account `acme`, so it refuses that account's commands.
 */
export const deadLettersWorld = async () => {
  const here = await world()
  const stranger = await here.start(['projector', 'egress'], undefined, {
    accounts: here.accounts.filter(({ id }) => id !== 'acme'),
  })
  const operator = await connectOperator(here)
  const client = plainClient(here.brokers)
  const admin = client.admin()
  const producer = client.producer()
  const consumer = client.consumer({ groupId: `${here.prefix}outside`, maxWaitTimeInMs: 100 })
  await Promise.all([admin.connect(), producer.connect(), consumer.connect()])
  const read: Read[] = []
  await consumer.subscribe({ topics: topicsRead.map((name) => `${here.prefix}${name}`), fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { key, value, headers, offset } }) =>
      void read.push({ topic: topic.slice(here.prefix.length), partition, key, value, headers: headers ?? {}, offset }),
  })

  const dataDir = temporaryFolder()
  const accountsFile = join(dataDir, 'accounts.json')
  const entries = here.accounts.map(({ id, webhooks }) => ({ id, ...(webhooks && { webhooks }) }))
  writeFileSync(accountsFile, JSON.stringify({ accounts: entries }))

  const runHere = async (args: ReadonlyArray<string>, resources: object): Promise<Ran> => {
    const { recordAction } = operator
    const { code = null, out, err } = await runOperation(args, resources, { recordAction })
    const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join('')
    return { code, out: text(out), err: text(err) }
  }
  const on = (topic: string) => read.filter((record) => record.topic === topic)
  const letters = (cause: string) => on('dead-letters').filter((each) => header(each, 'dl_cause') === cause)
  return {
    here,
    db: operator.db,
    stranger,
    admin,
    /** Everything that was read so far: of all topics, of one, or the letters of a cause. */
    read,
    on,
    letters,
    /** Resolves with the letter of this number, once it is there. */
    letter: (cause: string, number = 1) => eventually(`letter ${number} of ${cause}`, () => letters(cause)[number - 1]),
    produce: (topic: string, message: Parameters<typeof producer.send>[0]['messages'][number]) =>
      producer.send({ topic: `${here.prefix}${topic}`, messages: [message] }),
    /** Run the commands in this process. */
    redrive: (...args: string[]) =>
      runHere(['redrive', ...args], {
        kafka: operator.kafka,
        redrives: operator.mongo.query(redrivesIn),
        accounts: here.accounts,
      }),
    erase: (...args: string[]) =>
      runHere(['erase', ...args], {
        accounts: here.accounts,
        kafka: operator.kafka,
        erasures: operator.mongo.query(erasuresIn),
        retentionDays: 14,
        dataFolder: dataDir,
      }),
    /** Runs the command as a separate process, as a user does. */
    redriveAlone: (...args: string[]) =>
      runCommand(['redrive', ...args], { ...here.env, DATA_DIR: dataDir, BRIDGE_CONFIG: accountsFile }),
    stop: async () => {
      await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()])
      await operator.stop()
      await here.stop()
    },
  }
}
