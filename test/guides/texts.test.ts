import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { viewNames } from '../../src/bridge/views/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const texts = globSync(['*.md', '{contracts,docker,src,test}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).sort()

const outsideCode = (text: string) => text.replace(/^```.*?^```$/gms, '')
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const anchorsOf = (text: string) =>
  [...outsideCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading))

/** The links of a file to files of the repository: the path from the root, and the section if the link names one. */
const linksOf = (file: string) =>
  [...outsideCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => to)
    .filter((to) => !/^https?:/.test(to))
    .map((to) => {
      const [path = '', anchor] = to.split('#')
      return { file, to, path: path === '' ? file : join(dirname(file), path), anchor }
    })

const guides = suite('texts for readers')

guides('every link within the repository has a target', () => {
  const links = texts.flatMap(linksOf)
  const broken = links.filter(
    ({ path, anchor }) =>
      !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(read(path)).includes(anchor)),
  )
  assert.ok(links.length > 0)
  assert.equal(
    broken.map(({ file, to }) => `${file}: ${to}`),
    [],
  )
})

guides('a page that lists its sections lists all of them', () => {
  const listing = texts.filter((file) => read(file).includes('\nOn this page: '))
  const listed = (file: string) => linksOf(file).flatMap(({ to }) => (to.startsWith('#') ? to.slice(1) : []))
  const sections = (file: string) =>
    [...outsideCode(read(file)).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => slug(heading))
  assert.ok(listing.length > 10)
  assert.equal(
    listing.flatMap((file) =>
      sections(file)
        .filter((section) => !listed(file).includes(section))
        .map((section) => `${file}: ${section}`),
    ),
    [],
  )
})

guides('the README, or the first page for operators, links to every guide', () => {
  const linked = ['README.md', 'contracts/guides/operator.md'].flatMap(linksOf).map(({ path }) => path)
  assert.equal(
    texts.filter((file) => file.startsWith('contracts/guides/') && !linked.includes(file)),
    [],
  )
})

guides('each command for MongoDB names the database of the bridge', () => {
  const commands = texts.flatMap((file) => [
    ...[...read(file).matchAll(/mongosh "\$MONGODB_URL"[^`]*/g)].map(([command]) => [
      command,
      "db.getSiblingDB('livechat')",
    ]),
    ...[...read(file).matchAll(/mongodump .*/g)].map(([command]) => [command, '--db livechat ']),
  ])
  assert.ok(commands.length > 6)
  const unnamed = commands.filter(([command = '', name = '']) => !command.replaceAll('"', "'").includes(name))
  assert.equal(unnamed, [])
})

guides('the guide shows the tested bot', () => {
  const shown = /^```ts\n(export const shopBot.*?)^```$/ms.exec(read('contracts/guides/bot-author.md'))?.[1]
  assert.ok(shown !== undefined && read('contracts/guides/examples/shop-bot.ts').includes(shown))
})

guides('the guide for analysts has a row for each view', () => {
  const guide = read('contracts/guides/analyst.md')
  assert.equal(
    viewNames.filter((name) => !guide.includes(`| [\`${name}\`](`)),
    [],
  )
})

guides.run()
