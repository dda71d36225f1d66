import { constants, getPriority, setPriority } from 'node:os'

/** Back is so much below front, so that what may lag does not slow down what must answer at once. */
const niceOfBack = 10

const [command, argument, ...others] = process.argv.slice(2)

// These processes run for long. So they do not load the code of all commands.
if (command === 'start' && argument === undefined) {
  const { start } = await import('./start.ts')
  process.exit(await start())
} else if (command === 'child' && (argument === 'front' || argument === 'back') && others.length === 0) {
  // Before its code is loaded: the broker starts meanwhile, and has the longest way to be ready.
  if (argument === 'back') setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceOfBack))
  const { runChild } = await import('./child.ts')
  process.exit(await runChild(argument))
} else await import('./program.ts')
