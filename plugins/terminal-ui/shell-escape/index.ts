import { definePlugin, MessageReceived, Secrets, SlashCommands, translator } from 'svc/sdk'
import { shellCommand } from './commands.ts'
import { Noted } from './noted.ts'

export default definePlugin({
  setup(ctx) {
    const noted = new Noted()
    const secrets = () => ctx.use(Secrets)
    const ports = {
      shell: () => secrets().get('SHELL') || '/bin/sh',
      mask: (text: string) => secrets().mask(text),
      signal: ctx.signal,
    }
    ctx.add(SlashCommands, shellCommand(noted, ports, translator(ctx)))
    // Only where it was typed: a chat never runs commands of its people.
    ctx.on(MessageReceived, (text, { surface, sessionId }) =>
      surface === 'cli' ? noted.behind(text, sessionId) : undefined,
    )
  },
})
