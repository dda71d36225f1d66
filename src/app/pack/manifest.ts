type Exports = Readonly<Record<string, string>>

/** What the package needs of package.json; the rest is passed on. */
export type Manifest = {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Exports
  readonly engines?: object
  readonly devDependencies?: object
  readonly scripts?: object
  readonly allowScripts?: object
}

/** Whoever imports the package does so on a Node of his own, and not on the one that the commands bring along. */
const engines = { node: '>=22' }

/** The folder that holds, under the same paths, what the package is made of. */
export const folder = 'dist'

const moved = (path: string) => path.replace(/^(\.\/)?/, `./${folder}/`)

/** Where a source file is compiled to. Anything else is as it is. */
const target = (path: string) =>
  path.endsWith('.ts')
    ? { types: moved(path).replace(/\.ts$/, '.d.ts'), default: moved(path).replace(/\.ts$/, '.js') }
    : moved(path)

/**
 * The manifest of the package: the same names, but from the compiled files, since Node strips no types below node_modules. In
 * the sources they stand for the .ts files, so that the package's own name works there without any build.
 */
export const packedManifest = (manifest: Manifest): object => {
  const { devDependencies, scripts, allowScripts, bin, exports, ...rest } = manifest
  return {
    ...rest,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, moved(path)])),
    exports: Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, target(path)])),
  }
}
