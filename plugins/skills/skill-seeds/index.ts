/** Built-in skills in the home: copied at a start when they changed, and by `svc skills sync`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { BuiltInSkills, SkillOrigins } from 'svc/sdk/skills'
import { optInCommand, optOutCommand, syncCommand } from './cli.ts'
import { compareCommands } from './cli-compare.ts'
import { findMarker, findSkillsFolder } from './home-paths.ts'
import { seedRecord } from './record.ts'
import { syncAtStart } from './start.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      SkillOrigins,
      seedRecord(ctx.name, () => findSkillsFolder(ctx)),
    )
    ctx.provide(BuiltInSkills, () => ({ optOut: (home) => writeAtomically(findMarker(ctx, home), '') }))
    ctx.add(CliCommands, syncCommand(ctx))
    ctx.add(CliCommands, optOutCommand(ctx))
    ctx.add(CliCommands, optInCommand(ctx))
    for (const command of compareCommands(ctx)) ctx.add(CliCommands, command)
    ctx.onStart(() => syncAtStart(ctx))
  },
})
