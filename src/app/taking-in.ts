import { botConversations } from '../../contracts/topics.ts'
import type { KafkaRoom } from '../kafka/kafka.ts'
import { monotonic, sleep } from '../shared/time.ts'

const takeInWithinMs = 10_000

/** Whether the views have all that is on bot-conversations now; waits for it a while. */
export const takingIn =
  (group: string, { ranges, committedOffsets }: Pick<KafkaRoom, 'ranges' | 'committedOffsets'>) =>
  async (signal: AbortSignal): Promise<boolean> => {
    const until = monotonic() + takeInWithinMs
    const ends = await ranges(botConversations.name)
    while (monotonic() < until && !signal.aborted) {
      const committed = await committedOffsets(group, botConversations.name)
      if ([...ends].every(([partition, { low, high }]) => (committed.get(partition) ?? low) >= high)) return true
      await sleep(200, signal)
    }
    return false
  }
