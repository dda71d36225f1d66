import type { Machine } from '../machine.ts'
import type { Result } from '../run-jobs.ts'
import type { Plot } from './plots.ts'
import { figureRows, goalRows, markdown } from './table.ts'

const choice = ({ ingressProcesses, startArgs }: Result['bridge']) =>
  [`${ingressProcesses} with the role ingress`, ...startArgs].join(', ')

const about = ({ job, at, tookSeconds, loadBefore, bridge }: Result) => [
  job,
  `${at.slice(0, 16).replace('T', ' ')} UTC`,
  `${tookSeconds} s`,
  loadBefore.toFixed(1),
  choice(bridge),
]

const figures = (result: Result, plots: ReadonlyArray<Plot>) => {
  const own = plots.filter(({ file }) => file.startsWith(result.job))
  return [
    `### ${result.job}: ${result.what}`,
    ...own.map(({ file, title }) => `![${title}](${file})`),
    markdown(figureRows(result)),
  ].join('\n\n')
}

/** The whole of results/README.md. */
export const readme = (
  machine: Machine,
  results: ReadonlyArray<Result>,
  plots: ReadonlyArray<Plot>,
): string => `# Results

Written by \`npm run bench\`; [what is measured, and how](../README.md). Each figure is the median of its rounds, in brackets the lowest
and the highest. A ratio is taken round by round, and the table has the median of these.

${markdown(goalRows(results))}

## The machine

${markdown([['', ''], ...Object.entries(machine)])}

Broker, mongod and load share its cores with what is measured. The load average says what else ran when a job began.

${markdown([['job', 'at', 'took', 'load average before', "the bridge's processes"], ...results.map(about)])}

## All figures

${results.map((result) => figures(result, plots)).join('\n\n')}
`
