import { suite } from 'uvu'
import { addDayTests, realDay } from '../what-if/real-day/real-day.ts'

const day = suite('what-if on a day of 100 conversations')
const played = await realDay(100)
day.after(() => played.here.stop())
addDayTests(day, played)
day.run()
