const [command, argument, ...others] = process.argv.slice(2)

// These processes run for long. So they do not load the code of all commands.
if (command === 'start' && argument === undefined) {
  const { start } = await import('./start.ts')
  process.exit(await start())
} else if (command === 'part' && (argument === 'front' || argument === 'back') && others.length === 0) {
  const { runPart } = await import('./part.ts')
  process.exit(await runPart(argument))
} else await import('./program.ts')
