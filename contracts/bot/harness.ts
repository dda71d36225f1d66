/** Tests of bots in memory, under the name that their users import them by. */
export * from '../../src/bot/harness.ts'
