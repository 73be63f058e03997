/** The section `platforms` of `svc setup`: one chat platform, the variables that its manifest names, and the account of a phone. */
import { Config, type PluginContext, Secrets } from 'svc/sdk'
import { type PluginInfo, Plugins } from 'svc/sdk/host'
import type { SetupAnswers, SetupQuestion, SetupSection } from 'svc/sdk/operations'
import type { Platform } from 'svc/sdk/platform'
import type { PhoneLinking } from 'svc/sdk/sign-in'

type Context = PluginContext<undefined>

const NONE = 'none'
const PLATFORM = 'platform'
const LINK = 'link'

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
      const first: SetupQuestion = { key: PLATFORM, title: 'Platform', kind: 'choice', options, current: NONE }
      const name = String(answers[PLATFORM] ?? '')
      const { env = [] } = platforms.get(name)?.manifest ?? {}
      const platform = env.length > 0 ? await findPlatform(ctx, name) : undefined
      const needed = platform?.linking?.variable ?? env[0]?.name
      const isKnown = platform?.linking && platform.account?.() !== undefined
      const asked = env.map((variable) => variableQuestion(ctx, variable, variable.name !== needed || isKnown === true))
      return [first, ...asked.flatMap((question) => withLink(question, answers, platform?.linking))]
    },
    edits(answers) {
      const path = `platforms.${answers[PLATFORM]}.enabled`
      // A platform that is set up is connected, unless it was switched off.
      return answers[PLATFORM] !== NONE && ctx.use(Config).get(path) === false ? [{ path, value: true }] : []
    },
    async scan(_question, answers, signal) {
      const { startLink } = await import('./setup-platform.ts')
      return startLink(ctx, String(answers[PLATFORM]), { values: listTexts(answers), signal })
    },
    async conclude(answers, signal) {
      if (answers[PLATFORM] === NONE) return []
      return (await import('./setup-platform.ts')).tryPlatform(ctx, String(answers[PLATFORM]), signal)
    },
  }
}

function listPlatforms(ctx: Context): ReadonlyMap<string, PluginInfo> {
  const plugins = ctx.use(Plugins).list()
  return new Map(
    plugins.flatMap((info) => (info.manifest.contributes?.['platforms'] ?? []).map((name) => [name, info])),
  )
}

/** Without the platform its variables can be set all the same. */
async function findPlatform(ctx: Context, name: string): Promise<Platform | undefined> {
  const { loadPlatform } = await import('./contact.ts')
  return loadPlatform(ctx, name).catch(() => undefined)
}

/** Without the account of a phone, else without the first variable of the manifest, nothing works. */
function variableQuestion(
  ctx: Context,
  { name, description, secret }: { readonly name: string; readonly description: string; readonly secret?: boolean },
  isOptional: boolean,
): SetupQuestion {
  const question = { key: name, title: name, help: description, path: name, isOptional }
  if (secret === true) return { ...question, kind: 'secret', isSet: ctx.use(Secrets).source(name) !== undefined }
  return { ...question, kind: 'text', current: ctx.use(Secrets).get(name) ?? '' }
}

/** What a phone has can be scanned there, or typed. */
function withLink(
  question: SetupQuestion,
  answers: SetupAnswers,
  linking: PhoneLinking | undefined,
): readonly SetupQuestion[] {
  if (question.key !== linking?.variable) return [question]
  const link: SetupQuestion = {
    key: LINK,
    title: 'Link it to the account of a phone now',
    help: `A QR code is shown, and scanned on the phone: ${linking.instructions}.`,
    kind: 'confirm',
    current: question.current === '',
  }
  return [link, answers[LINK] === true ? { ...question, kind: 'scan' } : question]
}

function listTexts(answers: SetupAnswers): Record<string, string> {
  const texts = Object.entries(answers).filter(([, value]) => typeof value === 'string' && value !== '')
  return Object.fromEntries(texts) as Record<string, string>
}
