// The author of a bot does the first steps of the guide: an empty folder, the program as printed, and a client who writes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { groupOf } from '../support/plain-consumer.ts'
import { world } from '../support/world.ts'
import { emptyProject, packedContracts } from '../verify/toolchains/package/empty-project.ts'
import { canRun, type Language, languages, runExample } from './examples.ts'

/** The programs of a page in one language, in their order. Those of a numbered step are indented. */
const programsOf = (page: string, language: string) =>
  [
    ...readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8').matchAll(
      new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'),
    ),
  ].map(([, indent = '', program = '']) => program.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))

const pythonPrograms = programsOf('contracts/bot/python/README.md', 'python')

/** The folder of a reader who has followed the steps up to the first run, and the name of the program there. */
const readers: Readonly<Record<Language, () => { readonly folder: string; readonly name: string }>> = {
  TypeScript: () => {
    const [program = ''] = programsOf('contracts/guides/bot-author.md', 'ts')
    const { write, place } = emptyProject('livechat-bridge-contracts', packedContracts())
    write('bot.ts', program)
    return { folder: join(place, '../..'), name: 'bot' }
  },
  Python: () => {
    const [program = ''] = pythonPrograms
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'my_bot.py'), program)
    return { folder, name: 'my_bot' }
  },
}

const guide = suite("the first steps of a bot's author")

for (const language of languages) {
  const test = canRun(language) ? guide : guide.skip

  test(`${language}: the first bot of the guide answers, and calls an agent`, async () => {
    const here = await world({ bot: { replyWithin: 60_000 } })
    // The program uses the default prefix.
    await here.start(undefined, undefined, { topics: { prefix: 'livechat.', partitions: 4 } })
    const { folder, name } = readers[language]()
    const bot = runExample(language, name, { KAFKA_BROKERS: here.brokers.join(',') }, [], folder)
    try {
      await groupOf(here.brokers, 'my-bot', 1)
      const chat = () => here.service.chat('2037')
      await here.service.clientWrites('2037', 'Hello')
      const answer = await eventually('an answer', () => chat()?.delivered[0]?.message.text)
      await here.service.clientWrites('2037', 'I want a person')
      await eventually('the call of an agent', () => chat()?.invitations[0])
      assert.equal([answer, chat()?.delivered.length], ['You said Hello', 1])
      assert.is(await bot.stop(), 0, bot.err())
    } finally {
      await bot.kill()
      await here.stop()
    }
  })
}

if (languages.includes('Python'))
  (canRun('Python') ? guide : guide.skip)('Python: the tests of the guide pass', async () => {
    const { folder } = readers.Python()
    const [, tests = ''] = pythonPrograms
    writeFileSync(join(folder, 'test_my_bot.py'), tests)
    const run = runExample('Python', 'test_my_bot', {}, [], folder)
    assert.is(await run.ended, 0, run.err())
  })

guide.run()
