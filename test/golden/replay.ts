import './fixed.ts'
import { replayInMemory } from './in-memory.ts'
import { expectedItems, type Items } from './items.ts'
import { replayOnServers } from './on-servers.ts'
import { readRecorded } from './recorded.ts'

export type Place = 'memory' | 'servers'

const isAt = (place: Place, name: string): boolean => name.startsWith(`${place}: `)

const under = (place: Place, items: Items): Items =>
  new Map([...items].map(([name, value]) => [`${place}: ${name}`, value]))

let played: ReturnType<typeof replayInMemory> | undefined
const inMemory = () => {
  played ??= replayInMemory(readRecorded())
  return played
}

/** Replays what was recorded: without servers, or the records of that on the real servers. */
export const replay = async (place: Place): Promise<Items> => {
  const { items, records } = await inMemory()
  return under(place, place === 'memory' ? items : await replayOnServers(records, items))
}

export const expectedAt = (place: Place): Items => new Map([...expectedItems()].filter(([name]) => isAt(place, name)))
