import { chmod, copyFile, cp, mkdir, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { run } from '../../src/tools/embedded/run.ts'

/** The output of a command; throws the reason if it fails, because then the image cannot be made. */
export const output = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const outcome = await run(command, args)
  if (E.isRight(outcome)) return outcome.right.trim()
  throw new Error(outcome.left.missing ? `${command} is missing` : `${command}: ${outcome.left.output.trim()}`)
}

/** Where a command is on this machine. */
export const which = async (name: string): Promise<string> => {
  const path = await output('sh', '-c', `command -v ${name} || true`)
  if (path === '') throw new Error(`${name} is missing: install it on this machine`)
  return realpath(path)
}

/** Copies `from` to `to` below `root`; of a symbolic link it copies the target. */
export const put = async (root: string, from: string, to = from): Promise<void> => {
  const target = join(root, to)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(from, target)
  await chmod(target, 0o755)
}

/** The same for a folder. */
export const putFolder = async (
  root: string,
  from: string,
  to: string,
  filter: (path: string) => boolean = () => true,
): Promise<void> => cp(from, join(root, to), { recursive: true, dereference: true, filter })

/** The libraries that these programs and libraries load, at the places where the loader looks for them. */
export const putLibraries = async (root: string, files: ReadonlyArray<string>): Promise<void> => {
  const found = await Promise.all(files.map((file) => output('ldd', file)))
  const libraries = new Set(found.flatMap((text) => [...text.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)))
  for (const library of libraries) await put(root, library)
}

/** Programs of this machine with their libraries, in /usr/bin. */
export const putPrograms = async (root: string, names: ReadonlyArray<string>): Promise<void> => {
  const paths = await Promise.all(names.map(which))
  for (const [i, name] of names.entries()) await put(root, paths[i] ?? '', `/usr/bin/${name}`)
  await putLibraries(root, paths)
  await mkdir(join(root, 'tmp'), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
  await symlink('usr/bin', join(root, 'bin'))
}
