import { bot } from './weakened/bot.ts'
import { egress } from './weakened/egress.ts'
import { erasures } from './weakened/erasures.ts'
import { http } from './weakened/http.ts'
import { journal } from './weakened/journal.ts'
import { kafka } from './weakened/kafka.ts'
import { views } from './weakened/views.ts'

/** By name: what a negative control switches off, and how. If one of two modules imports the other, it comes last. */
export const defences = { ...kafka, ...journal, ...http, ...views, ...erasures, ...egress, ...bot }

export type Defence = keyof typeof defences
