import type { Report } from './report.ts'
import { escaped } from './xml.ts'

/** A chat as a test case. */
export type TestCase = {
  readonly chatId: string
  /** In ms: how long the bot took. */
  readonly ms: number
  readonly result: {
    readonly kind: 'passed' | 'failure' | 'error' | 'skipped'
    readonly type: string
    readonly message: string
  }
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

const caseXml = (account: string, { chatId, ms, result: { kind, type, message } }: TestCase): string => {
  const attributes = `classname="what-if.${escaped(account)}" name="chat ${escaped(chatId)}" time="${seconds(ms)}"`
  if (kind === 'passed') return `    <testcase ${attributes}/>`
  const about = kind === 'skipped' ? '' : ` type="${escaped(type)}"`
  return `    <testcase ${attributes}>
      <${kind}${about} message="${escaped(message)}"/>
    </testcase>`
}

/** The cases in the form of JUnit that CI servers read. */
export const junitXml = (
  { account, madeAt, candidate, deleteBy }: Pick<Report, 'account' | 'madeAt' | 'candidate' | 'deleteBy'>,
  cases: ReadonlyArray<TestCase>,
): string => {
  const count = (kind: TestCase['result']['kind']) => cases.filter(({ result }) => result.kind === kind).length
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`
  const time = seconds(cases.reduce((sum, { ms }) => sum + ms, 0))
  const property = (name: string, value: string) => `      <property name="${name}" value="${escaped(value)}"/>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="what-if" ${counts} time="${time}">
  <testsuite name="what-if ${escaped(account)}" ${counts} skipped="${count('skipped')}" timestamp="${madeAt.slice(0, 19)}" time="${time}">
    <properties>
${[property('bot', candidate), ...(deleteBy === undefined ? [] : [property('delete-by', deleteBy)])].join('\n')}
    </properties>
${cases.map((each) => caseXml(account, each)).join('\n')}
  </testsuite>
</testsuites>
`
}
