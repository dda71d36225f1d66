// Preloaded. When the process ends, it prints the packages of which a module was loaded.
import { registerHooks } from 'node:module'

const loaded = new Set<string>()

registerHooks({
  load: (url, context, next) => {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
    if (name !== undefined) loaded.add(name)
    return next(url, context)
  },
})

process.once('exit', () => console.log(JSON.stringify([...loaded].sort())))
