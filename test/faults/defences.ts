import { egress } from './weakened/egress.ts'
import { erasures } from './weakened/erasures.ts'
import { http } from './weakened/http.ts'
import { journal } from './weakened/journal.ts'
import { kafka } from './weakened/kafka.ts'
import { projections } from './weakened/projections.ts'

/** By name: what is switched off in a negative control, and how. Of two modules the one that imports the other stands last. */
export const defences = { ...kafka, ...journal, ...http, ...projections, ...erasures, ...egress }

export type Defence = keyof typeof defences
