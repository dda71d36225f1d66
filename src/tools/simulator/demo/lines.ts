import type { Paint } from './paint.ts'

const width = 104
const indent = ' '.repeat(15)

const cut = (text: string, room: number) => (text.length <= room ? text : `${text.slice(0, room - 1)}…`)

const wrapped = (text: string) => text.match(/\S.{0,95}(?=\s|$)/g) ?? []

/** The introduction before the first act. */
export const introLines = (paint: Paint, text: string): ReadonlyArray<string> => [
  '',
  ...wrapped(text).map((line) => `   ${paint('dim', line)}`),
]

/** The heading of an act, and what the act shows. */
export const headingLines = (paint: Paint, title: string, text: string): ReadonlyArray<string> => [
  '',
  `${paint('dim', '──')} ${paint('bold', title)} ${paint('dim', '─'.repeat(Math.max(2, width - title.length - 4)))}`,
  ...wrapped(text).map((line) => `   ${paint('dim', line)}`),
  '',
]

export const stepLine = (paint: Paint, step: number, title: string): string =>
  `${String(step).padStart(4)} ${paint(['bold', 'cyan'], title)}`

/** An expectation: whether it was met, where, what was found, and how many ms after the step began. */
export const checkLine = (paint: Paint, ok: boolean, where: string, text: string, ms: number): string => {
  const time = `${ms} ms`
  const room = width - indent.length - time.length - 2
  const mark = ok ? paint('green', '✓') : paint('red', '✗')
  const shown = cut(text, room).padEnd(room)
  return `    ${mark} ${where.padEnd(8)} ${ok ? shown : paint('red', shown)}  ${paint('dim', time)}`
}

/** Details of the line above. */
export const detailLine = (paint: Paint, text: string): string =>
  `${indent}${paint('dim', cut(text, width - indent.length))}`

export type Score = {
  readonly steps: number
  readonly failedSteps: number
  readonly checks: number
  readonly failedChecks: number
}

export const summaryLines = (paint: Paint, score: Score, ms: number): ReadonlyArray<string> => {
  const { steps, failedSteps, checks, failedChecks } = score
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const said =
    failedSteps === 0
      ? paint(['bold', 'green'], `✓ ${steps} steps, ${checks} expectations met`)
      : paint(
          ['bold', 'red'],
          `✗ ${failedSteps} of ${steps} steps failed, ${failedChecks} of ${checks} expectations not met`,
        )
  return ['', `${said} ${paint('dim', `in ${seconds}`)}`]
}
