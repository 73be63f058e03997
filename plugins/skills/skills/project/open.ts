/** Puts together what looks at skills of projects and asks about them. */
import type { PluginContext } from 'svc/sdk'
import { Clock, Secrets } from 'svc/sdk'
import { People, Plugins } from 'svc/sdk/host'
import { SkillScanner } from 'svc/sdk/skills'
import { agreements } from './agreements.ts'
import { askAboutSkills } from './ask.ts'
import { ProjectSkills } from './project-skills.ts'
import type { createProjects } from './projects.ts'
import type { TrustDeps } from './trust-cli.ts'

type Context = Pick<PluginContext<unknown>, 'use' | 'find' | 'state' | 'log'>

/** `own` are folders of skills that are not of a project. */
export function openConsent(ctx: Context, own: () => readonly string[]): TrustDeps {
  return {
    clock: () => ctx.use(Clock),
    log: ctx.log,
    state: ctx.state('project-skills', { schema: agreements, initial: {} }),
    own,
    scanner: () => ctx.use(Plugins).bring(SkillScanner),
  }
}

export function openProjects(
  ctx: Context,
  own: () => readonly string[],
): Awaited<ReturnType<Parameters<typeof createProjects>[1]>> {
  const deps = openConsent(ctx, own)
  return {
    skills: new ProjectSkills(deps),
    async ask(skills, roots, at) {
      const more = { people: () => ctx.find(People), mask: (text: string) => ctx.use(Secrets).mask(text) }
      await askAboutSkills({ ...deps, ...more }, await skills.all(roots), at)
    },
  }
}
