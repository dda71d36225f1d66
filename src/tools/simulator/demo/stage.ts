import type { ReadView } from '../../../bridge/views/index.ts'
import { type Assertions, createAssertions } from './assertions.ts'
import { checkLine, detailLine, headingLines, introLines, type Score, stepLine, summaryLines } from './lines.ts'
import type { EventLog } from './log.ts'
import type { Paint } from './paint.ts'

export type StageDeps = {
  readonly log: EventLog
  readonly findView: ReadView
  readonly out: (line: string) => void
  readonly paint: Paint
  readonly now: () => number
  /** How long one expectation may take, and all of them together, in ms. */
  readonly withinMs: number
  readonly budgetMs: number
}

/** Plays the steps of the story: numbers them, shows whether each expectation is met, and keeps the score. */
export const createStage = ({ log, findView, out, paint, now, withinMs, budgetMs }: StageDeps) => {
  const begun = now()
  let score: Score = { steps: 0, failedSteps: 0, checks: 0, failedChecks: 0 }
  const timeLeft = () => Math.max(250, Math.min(withinMs, begun + budgetMs - now()))

  return {
    intro: (text: string) => {
      for (const line of introLines(paint, text)) out(line)
    },
    heading: (title: string, text: string) => {
      for (const line of headingLines(paint, title, text)) out(line)
    },
    /** Plays a step. `assertions` checks its expectations one after the other. A throw is a failed expectation. */
    step: async (title: string, play: (assertions: Assertions) => Promise<void>) => {
      const since = now()
      const before = score.failedChecks
      const told = (ok: boolean, where: string, text: string) => {
        score = { ...score, checks: score.checks + 1, failedChecks: score.failedChecks + (ok ? 0 : 1) }
        out(checkLine(paint, ok, where, text, now() - since))
      }
      const detail = (text: string) => out(detailLine(paint, text))
      out(stepLine(paint, score.steps + 1, title))
      try {
        await play(createAssertions({ log, findView, told, detail, timeLeft }))
      } catch (error) {
        told(false, 'story', error instanceof Error ? error.message : String(error))
      }
      const failed = score.failedChecks > before
      score = { ...score, steps: score.steps + 1, failedSteps: score.failedSteps + (failed ? 1 : 0) }
    },
    /** Shows an error outside of the steps, and counts it. */
    mishap: (text: string) => {
      score = { ...score, checks: score.checks + 1, failedChecks: score.failedChecks + 1 }
      out(checkLine(paint, false, 'bot', text, now() - begun))
    },
    close: () => {
      for (const line of summaryLines(paint, score, now() - begun)) out(line)
      return { steps: score.steps, failed: score.failedSteps }
    },
  }
}
export type Stage = ReturnType<typeof createStage>
