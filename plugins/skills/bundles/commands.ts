/** `/<bundle>` and `/bundles`. */
import type { CommandContext, SlashCommand, Translate } from 'svc/sdk'
import type { CommandProvider } from 'svc/sdk/host'
import type { Skills } from 'svc/sdk/skills'
import type { Bundle } from './bundle.ts'
import type { BundleStore } from './store.ts'

const CATEGORY = 'Tools & Skills'

export interface CommandDeps {
  readonly store: BundleStore
  skills(): Skills
  readonly t: Translate
}

export function bundleCommands(deps: CommandDeps): CommandProvider {
  return {
    name: 'bundles',
    // A bundle comes before a skill of the same name.
    order: 40,
    commands: () =>
      deps.store.known().map((bundle) => ({
        name: bundle.slug,
        description: bundle.description,
        category: CATEGORY,
        argsHint: '[task]',
        run: (args, at) => useBundle(bundle, args, at, deps),
      })),
    onChange: (listener) => deps.store.onChange(listener),
  }
}

async function useBundle(
  { slug, skills: names, instruction }: Bundle,
  task: string,
  { conversation }: CommandContext,
  { skills, t }: CommandDeps,
): Promise<string | undefined> {
  const { loaded, missing } = await skills().send(conversation, {
    names,
    line: `/${slug} ${task}`.trim(),
    task: task === '' ? 'The user asks you to follow the skills above.' : task,
    ...(instruction !== undefined && { instruction }),
  })
  if (loaded.length === 0) return t('None of its skills is there: {names}.', { names: missing.join(', ') })
  return missing.length > 0
    ? t('Used without skills that are not there: {names}.', { names: missing.join(', ') })
    : undefined
}

export function bundlesCommand({ store, t }: CommandDeps): SlashCommand {
  return {
    name: 'bundles',
    description: 'List bundles: skills that are used together',
    category: CATEGORY,
    isImmediate: true,
    async run() {
      const { bundles, problems } = await store.all()
      const lines = bundles.map(
        ({ slug, description, skills }) => `- \`/${slug}\` ${description} (${skills.join(', ')})`,
      )
      const bad = problems.map(({ file, reason }) => `- ${t('Not used')}: \`${file}\`: ${reason}`)
      if (lines.length + bad.length === 0) return t('There are no bundles. svc bundles create makes one.')
      return [...lines, ...bad].join('\n')
    },
  }
}
