// Preloaded into a bridge that is a negative control: some modules export a weaker form of their functions.
import { registerHooks } from 'node:module'
import { type Defence, defences } from './defences.ts'
import { replaced } from './weakened/instead.ts'

const folder = new URL('./weakened/', import.meta.url).href
const shared = import.meta.resolve('./weakened/instead.ts')
const asItIs = '?original'

/** The module whose weakened form is being made. Only that form gets the original module. */
let target: string | undefined
let isLooking = false

const weakenedSource = (url: string, names: ReadonlyArray<string>) =>
  [
    `import { replaced } from ${JSON.stringify(shared)}`,
    `export * from ${JSON.stringify(`${url}${asItIs}`)}`,
    `export const { ${names.join(', ')} } = replaced.get(${JSON.stringify(url)})`,
  ].join('\n')

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    if (!isLooking || context.parentURL?.startsWith(folder) !== true) return resolved
    isLooking = false
    target = resolved.url
    return { ...resolved, url: `${target}${asItIs}` }
  },
  load: (url, context, next) => {
    const exports = replaced.get(url)
    if (exports === undefined) return next(url, context)
    return { format: 'module', source: weakenedSource(url, Object.keys(exports)), shortCircuit: true }
  },
})

for (const replacement of defences[process.env.FAULTS_WITHOUT as Defence]) {
  isLooking = true
  const exports = await replacement()
  if (target === undefined) throw new Error('a replacement loads the module that it replaces')
  replaced.set(target, exports)
}
