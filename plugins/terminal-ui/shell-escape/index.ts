import { BeforeUserMessage, createTranslator, definePlugin, Secrets, SlashCommands } from 'svc/sdk'
import { shellCommand } from './commands.ts'
import { Noted } from './noted-commands.ts'

export default definePlugin({
  setup(ctx) {
    const noted = new Noted()
    const secrets = () => ctx.use(Secrets)
    const ports = {
      shell: () => secrets().get('SHELL') || '/bin/sh',
      mask: (text: string) => secrets().mask(text),
      signal: ctx.signal,
    }
    ctx.add(SlashCommands, shellCommand(noted, ports, createTranslator(ctx)))
    // Only where it was typed: a chat never runs commands of its people.
    ctx.on(BeforeUserMessage, (text, { surface, sessionId }) =>
      surface === 'cli' ? noted.behind(text, sessionId) : undefined,
    )
  },
})
