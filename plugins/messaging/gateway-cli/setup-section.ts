/** The section `platforms` of `svc setup`: one chat platform, and the variables that its manifest names. */
import { Config, type PluginContext, Secrets } from 'svc/sdk'
import { type PluginInfo, Plugins } from 'svc/sdk/host'
import type { SetupQuestion, SetupSection } from 'svc/sdk/operations'

type Context = PluginContext<undefined>

const NONE = 'none'

export function createPlatformsSection(ctx: Context): SetupSection {
  return {
    ...{ name: 'platforms', title: 'Chat platforms', order: 30 },
    description: 'Where people can write to the agent.',
    async questions(answers) {
      const platforms = listPlatforms(ctx)
      const options = [
        { value: NONE, title: NONE, note: 'no platform now' },
        ...[...platforms].map(([value, { manifest }]) => ({ value, title: value, note: manifest.description })),
      ]
      const first: SetupQuestion = { key: 'platform', title: 'Platform', kind: 'choice', options, current: NONE }
      const chosen = platforms.get(String(answers['platform'] ?? ''))
      return [first, ...(chosen?.manifest.env ?? []).map((variable, at) => variableQuestion(ctx, variable, at > 0))]
    },
    edits(answers) {
      const path = `platforms.${answers['platform']}.enabled`
      // A platform that is set up is connected, unless it was switched off.
      return answers['platform'] !== NONE && ctx.use(Config).get(path) === false ? [{ path, value: true }] : []
    },
  }
}

function listPlatforms(ctx: Context): ReadonlyMap<string, PluginInfo> {
  const plugins = ctx.use(Plugins).list()
  return new Map(
    plugins.flatMap((info) => (info.manifest.contributes?.['platforms'] ?? []).map((name) => [name, info])),
  )
}

/** The first variable of a manifest is the one without which nothing works. */
function variableQuestion(
  ctx: Context,
  { name, description, secret }: { readonly name: string; readonly description: string; readonly secret?: boolean },
  isOptional: boolean,
): SetupQuestion {
  const question = { key: name, title: name, help: description, path: name, isOptional }
  if (secret === true) return { ...question, kind: 'secret', isSet: ctx.use(Secrets).source(name) !== undefined }
  return { ...question, kind: 'text', current: ctx.use(Secrets).get(name) ?? '' }
}
