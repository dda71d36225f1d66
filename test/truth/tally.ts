import { published } from '../../src/publishing/catalogue.ts'

/** What is written somewhere: every event, every view's documents, commands, enrichments and the two raw kinds. */
export const kinds: ReadonlyArray<string> = [
  ...published.filter(({ direction }) => direction === 'event').map(({ name }) => name),
  ...published.map(({ name }) => name).filter((name) => name.endsWith('Document')),
  ...['BotMessage', 'InviteAgent', 'Enrichment', 'OperatorAction', 'quarantine', 'dead-letters'],
]

/** How many were checked of each kind, and what is wrong with which. */
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
