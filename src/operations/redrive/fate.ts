import { printable } from '../../shared/printable.ts'
import type { Letter } from './letter.ts'
import { originOf } from './rows.ts'

/** What became of a dead letter that was to be sent. */
export const fates = ['sent', 'would be sent', 'sent before', 'refused', 'failed'] as const
export type Fate = (typeof fates)[number]

export type Tally = Readonly<Record<Fate, number>>

export const noFates: Tally = { sent: 0, 'would be sent': 0, 'sent before': 0, refused: 0, failed: 0 }

const width = Math.max(...fates.map(({ length }) => length))

export const fateLine = (fate: Fate, letter: Letter, why?: string): string =>
  [fate.padEnd(width), letter.id, originOf(letter), letter.consumer, letter.cause, ...(why ? [why] : [])]
    .map(printable)
    .join('  ')

/** `3 sent, 1 sent before`: only what there was of. */
export const tallyText = (tally: Tally): string =>
  fates
    .filter((fate) => tally[fate] > 0)
    .map((fate) => `${tally[fate]} ${fate}`)
    .join(', ') || 'no dead letter fits'
