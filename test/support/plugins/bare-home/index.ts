/** A shell command that makes a home without built-in skills, for a test of one's own. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { CliCommands, definePlugin, Home } from 'svc/sdk'
import { BuiltInSkills } from 'svc/sdk/skills'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, {
      name: 'bare-home',
      description: 'Make a home without built-in skills.',
      async run() {
        const dir = ctx.use(Home).path('bare')
        if (existsSync(dir)) return `${dir} is there already.`
        mkdirSync(dir)
        await ctx.use(BuiltInSkills).optOut(dir)
        ctx.log.info('works', { files: readdirSync(dir) })
        return `svc skills sync copies nothing into ${dir}.`
      },
    })
  },
})
