/** The test harness for bots, in memory, under the name by which its users import it. */
export * from '../../src/bot/harness.ts'
