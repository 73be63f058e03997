/** Wires the parts of the system prompt, the record of who wrote what in it, and the commands that read that. */
import { CliCommands, definePlugin, PromptParts, TurnEnded } from 'svc/sdk'
import { promptCommand, sizeCommand } from './cli.ts'
import { config } from './config.ts'
import { createDatePart, environment } from './environment.ts'
import { identity, toolUse } from './identity.ts'
import { projectNotes } from './project-notes.ts'

/** Sessions remembered as noted; a session that is forgotten is only looked at once more. */
const MAX_NOTED = 1000

export default definePlugin({
  config,
  setup(ctx) {
    for (const part of [createDatePart(ctx), environment, identity(ctx), projectNotes(ctx), toolUse])
      ctx.add(PromptParts, part)
    const noted = new Set<string>()
    // Sessions of one day and folder share one prompt.
    let known: string | undefined
    ctx.on(TurnEnded, async (turn) => {
      if (noted.has(turn.sessionId)) return
      if (noted.size >= MAX_NOTED) {
        noted.clear()
        known = undefined
      }
      noted.add(turn.sessionId)
      const { notePrompt } = await import('./author-notes.ts')
      known = await notePrompt(ctx, turn, known)
    })
    ctx.add(CliCommands, sizeCommand(ctx))
    ctx.add(CliCommands, promptCommand(ctx))
  },
})
