/** The list of skills in the system prompt. */
import type { PromptPart } from 'svc/sdk'
import type { Skills } from 'svc/sdk/skills'
import { isOffered } from './conditions.ts'
import { formatIndex } from './index-text.ts'
import type { Projects } from './project/projects.ts'

/** `maxBytes` of text. A person is asked about skills of the project first, when a conversation begins. */
export function skillsIndex(skills: () => Skills, projects: Pick<Projects, 'ask'>, maxBytes: number): PromptPart {
  return {
    name: 'skills-index',
    tier: 'context',
    async text({ surface, cwd, tools, occasion, sessionId, turnId }) {
      if (!tools.includes('skill_view')) return undefined
      if (occasion) await projects.ask({ occasion, sessionId, turnId, cwd })
      const offered = (await skills().list({ surface, cwd, tools })).filter(isOffered)
      return formatIndex(offered, maxBytes)
    },
  }
}
