/** Skills of a team, where they came from, whether they are harmless, and a lesson for the journey. */
import { join } from 'node:path'
import { definePlugin, SvcError } from 'svc/sdk'
import { SvcStarted } from 'svc/sdk/hooks'
import { LearningSources, SkillDirs, SkillOrigins, SkillScanner, Skills } from 'svc/sdk/skills'

const LESSON = 'Nothing is released on a Friday.'

export default definePlugin({
  setup(ctx) {
    const path = join(import.meta.dirname, 'skills')
    ctx.add(SkillDirs, { name: 'team', path, trust: 'trusted' })
    ctx.add(SkillOrigins, {
      name: 'team',
      find: ({ folder }) =>
        folder.startsWith(path) ? { origin: 'plugin', trust: 'trusted', source: 'the team' } : undefined,
    })
    const refuse = () =>
      Promise.reject(new SvcError('TEAM_LESSON', 'Lessons are changed by the team.', { status: 409 }))
    ctx.add(LearningSources, {
      ...{ name: 'team', kind: 'lesson', title: () => 'Lessons of the team' },
      list: async () => [
        { id: 'friday', title: LESSON, text: LESSON, related: ['release-notes'], canEdit: false, canRemove: false },
      ],
      read: async () => LESSON,
      ...{ edit: refuse, remove: refuse, restore: refuse },
    })
    ctx.on(SvcStarted, async () => {
      const skill = await ctx.find(Skills)?.find('release-notes')
      if (!skill) return
      const scan = await ctx.find(SkillScanner)?.scan(skill.folder)
      ctx.log.info('works', { source: skill.source, verdict: scan?.verdict })
    })
  },
})
