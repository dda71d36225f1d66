import './fixed.ts'
import { replayInMemory } from './in-memory.ts'
import type { Items } from './items.ts'
import { replayOnServers } from './on-servers.ts'
import { readRecorded } from './recorded.ts'

const under = (place: string, items: Items): Items =>
  new Map([...items].map(([name, value]) => [`${place}: ${name}`, value]))

export const isInMemory = (name: string): boolean => name.startsWith('memory: ')

/** Replays what was recorded: first without servers, then the records of that on the real servers, unless `onlyMemory`. */
export const replay = async ({ onlyMemory = false } = {}): Promise<Items> => {
  const { items, records } = await replayInMemory(readRecorded())
  const inMemory = under('memory', items)
  return onlyMemory ? inMemory : new Map([...inMemory, ...under('servers', await replayOnServers(records, items))])
}
