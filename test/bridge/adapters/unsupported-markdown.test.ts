import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { markdown } from '../../../src/bridge/adapters/markdown.ts'
import { allowed, refused } from './markdown-cases.ts'

const unsupportedMarkdown = (content: string) => markdown(content).unsupported

const test = suite('Markdown of the protocol')

for (const content of allowed)
  test(`is ${JSON.stringify(content)}`, () => assert.equal(unsupportedMarkdown(content), []))

for (const [content, expected] of refused)
  test(`is not ${JSON.stringify(content)}`, () => assert.equal(unsupportedMarkdown(content), expected))

test.run()
