/** Prints the manifest of the app. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { type CommandMenuEntry, Commands, Plugins } from 'svc/sdk/host'
import { Gateway } from 'svc/sdk/platform'
import { groupByCategory } from 'svc/sdk/terminal'
import { type AssistantView, createManifest, MENU_LIMITS } from './app-manifest.ts'
import type { Config } from './config.ts'

const VIEWS: readonly string[] = ['assistant', 'agent', 'none'] satisfies AssistantView[]
const MAX_NAME = 35

export async function printManifest(
  ctx: PluginContext<Config>,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const { view = 'assistant', name = 'svc', url } = options
  if (!isView(view)) throw new SvcError('SLACK_MANIFEST', `--view is ${VIEWS.join(', ')}, not "${view}".`)
  const label = String(name).trim()
  if (label === '' || label.length > MAX_NAME)
    throw new SvcError('SLACK_MANIFEST', `The name of an app of Slack has 1 to ${MAX_NAME} characters.`)
  const requestUrl = findRequestUrl(ctx.config, url)
  // Commands of chats come with the gateway.
  await ctx.use(Plugins).bring(Gateway)
  const commands = ctx.use(Commands)
  const entries = listEntries(commands)
  io.out(`${JSON.stringify(createManifest({ name: label, view, requestUrl, commands: entries }), null, 2)}\n`)
  const shown = new Set(entries.map((entry) => entry.name))
  const left = commands.on('gateway').flatMap((each) => (shown.has(each.name) ? [] : `/svc ${each.name}`))
  if (left.length > 0) io.err(`Slack has no room for more commands. These are typed so: ${left.join(', ')}\n`)
  return 0
}

/** Those that must run at once first, then by category as `/help` lists them: what comes last may not have room. */
function listEntries(commands: Commands): readonly CommandMenuEntry[] {
  const all = [...groupByCategory(commands.on('gateway')).values()].flat()
  const order = [...all.filter((each) => each.isImmediate), ...all].map(({ name }) => name)
  const entries = commands.menu('gateway', { ...MENU_LIMITS, count: Number.MAX_SAFE_INTEGER })
  return entries.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).slice(0, MENU_LIMITS.count)
}

function isView(given: unknown): given is AssistantView {
  return VIEWS.includes(String(given))
}

/** Undefined for the mode `socket`. */
function findRequestUrl({ mode, http_path: path }: Config, given: unknown): string | undefined {
  if (mode === 'socket') return undefined
  if (typeof given !== 'string' || !URL.canParse(given) || new URL(given).protocol !== 'https:') {
    const advice = 'svc slack manifest --url https://bot.example.org'
    throw new SvcError('SLACK_MANIFEST', `In the mode events Slack calls svc, and needs its public address: ${advice}`)
  }
  return `${given.replace(/\/+$/, '')}${path}/events`
}
