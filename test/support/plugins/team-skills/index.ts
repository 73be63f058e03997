/** Skills of a team, where they came from, and whether they are harmless. */
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { SvcStarted } from 'svc/sdk/hooks'
import { SkillDirs, SkillOrigins, SkillScanner, Skills } from 'svc/sdk/skills'

export default definePlugin({
  setup(ctx) {
    const path = join(import.meta.dirname, 'skills')
    ctx.add(SkillDirs, { name: 'team', path, trust: 'trusted' })
    ctx.add(SkillOrigins, {
      name: 'team',
      find: ({ folder }) =>
        folder.startsWith(path) ? { origin: 'plugin', trust: 'trusted', source: 'the team' } : undefined,
    })
    ctx.on(SvcStarted, async () => {
      const skill = await ctx.find(Skills)?.find('release-notes')
      if (!skill) return
      const scan = await ctx.find(SkillScanner)?.scan(skill.folder)
      ctx.log.info('works', { source: skill.source, verdict: scan?.verdict })
    })
  },
})
