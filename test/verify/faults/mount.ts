import { spawnSync } from 'node:child_process'

const succeeds = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Mounts a file system in memory on a folder, with options such as its size. False if that cannot be done here. */
export const mountMemory = (dir: string, options: string): boolean =>
  succeeds('mount', '-t', 'tmpfs', '-o', options, 'none', dir)

export const unmount = (dir: string): boolean => succeeds('umount', dir)
