import { suite } from 'uvu'
import { agentUnavailable, clientWrites, given } from '../../../../src/bot/harness.ts'
import { buttons, handOver, markdown, text } from '../../../../src/bot/replies.ts'
import { echoBot } from '../../../../src/tools/simulator/demo/echo-bot.ts'

const bot = suite('echo bot')

bot("repeats the client's message", () => given(echoBot).when(clientWrites('Hello')).says(text('You said: Hello')))

bot('hands over when the client asks for an agent', () =>
  given(echoBot)
    .when(clientWrites(' Agent '))
    .says(handOver({ summary: 'The client asks for a person.' })),
)

bot('shows buttons and Markdown', async () => {
  const choice = buttons('What would you like to know?', [
    { id: '1', text: 'Prices' },
    { id: '2', text: 'Delivery' },
    { id: '3', text: 'Something else' },
  ])
  await given(echoBot).when(clientWrites('buttons')).says(choice)
  const map = markdown('We are **open** until *8 pm*, [see the map](https://shop.example.com/map)')
  await given(echoBot).when(clientWrites('markdown')).says(map)
})

bot('asks for contact details when no agent is available', () =>
  given(echoBot, clientWrites('agent'))
    .when(agentUnavailable())
    .says(
      text('Nobody is free at the moment. Please leave your phone number or e-mail address, and we will write to you.'),
    ),
)

bot.run()
