import { published } from '../../../src/tools/publishing/catalogue.ts'

/** All kinds that the bridge writes: events, documents of all views, commands, enrichments and the two raw kinds. */
export const kinds: ReadonlyArray<string> = [
  ...published.filter(({ direction }) => direction === 'event').map(({ name }) => name),
  ...published.map(({ name }) => name).filter((name) => name.endsWith('Document')),
  'BotMessage',
  'InviteAgent',
  'Enrichment',
  'OperatorAction',
  'quarantine',
  'dead-letters',
]

/** How many values of each kind were checked, and the wrong ones. */
export const tally = () => {
  const checked = new Map<string, number>()
  const wrong: string[] = []
  return {
    checked,
    wrong,
    count: (kind: string, place: string, problem: string | undefined) => {
      checked.set(kind, (checked.get(kind) ?? 0) + 1)
      if (problem !== undefined) wrong.push(`${place}: ${kind}: ${problem}`)
    },
  }
}
export type Tally = ReturnType<typeof tally>
