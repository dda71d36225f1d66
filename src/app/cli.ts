const [command, argument, ...others] = process.argv.slice(2)

// These processes run for long. So they do not load the code of all commands.
if (command === 'start' && argument === undefined) {
  const { start } = await import('./start.ts')
  process.exit(await start())
} else if (command === 'child' && (argument === 'front' || argument === 'back') && others.length === 0) {
  const { runChild } = await import('./child.ts')
  process.exit(await runChild(argument))
} else await import('./program.ts')
