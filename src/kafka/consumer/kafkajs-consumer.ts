import type { Consumer, Kafka } from 'kafkajs'
import { coPartitionedAssigner } from './assigner.ts'
import { sessionTimeoutMs } from './signs.ts'

/** A consumer that neither commits nor starts again by itself. */
export const consumerOf = (kafka: Kafka, groupId: string, gatherBytes?: number): Consumer =>
  kafka.consumer({
    groupId,
    partitionAssigners: [coPartitionedAssigner],
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: 20_000,
    // How soon a member hears that partitions are given anew, for which all the others wait.
    heartbeatInterval: 1_000,
    // Short: a partition that is resumed takes part in the next fetch only. Who gathers, waits for a trickle a bit longer.
    maxWaitTimeInMs: gatherBytes === undefined ? 100 : 250,
    minBytes: gatherBytes ?? 1,
    // How long partitions may have been added before they are read; kafkajs would take five minutes.
    metadataMaxAge: 10_000,
    // The largest batch of our own lane and a bit: a partition whose next batch is larger may have to wait for its turn.
    maxBytesPerPartition: 1_280 * 1024,
    maxBytes: 5 * 1024 * 1024,
    allowAutoTopicCreation: false,
    retry: { retries: 2, restartOnFailure: async () => false },
  })
