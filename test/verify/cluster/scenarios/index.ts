import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { belowMinIsr } from './below-min-isr.ts'
import { failingTopic } from './failing-topic.ts'
import { frozenBroker } from './frozen-broker.ts'
import { leader } from './leader.ts'
import { partitions } from './partitions.ts'
import { primary } from './primary.ts'
import { rolling } from './rolling.ts'
import { unreplicated } from './unreplicated.ts'

export const scenarios: ReadonlyArray<Scenario<Three>> = [
  leader,
  rolling,
  primary,
  unreplicated,
  frozenBroker,
  belowMinIsr,
  failingTopic,
  partitions,
]
