/** `svc prompt-size`: what each part of the first request costs. */
import {
  Agent,
  type CliArguments,
  type CliContext,
  type PluginContext,
  Config as Settings,
  SvcError,
  type Tool,
  Tools,
  type TurnContext,
} from 'svc/sdk'
import { Plugins, unreachablePerson } from 'svc/sdk/host'
import type { Config } from './config.ts'
import { offeredTools, type PartText, partTexts } from './prompt-parts.ts'
import { sizeText } from './size-text.ts'

/** Bytes of the system prompt and the tools together that a fresh installation may send. */
const BUDGET_BYTES = 16_000
const CHARACTERS_PER_TOKEN = 4

interface Size {
  readonly chars: number
  readonly bytes: number
}

/** A part of special interest; zeros with the reason when it is not in the prompt. */
export type Feature = Size & { readonly reason?: string }

/** The report, as `--json` prints it. */
export interface SizeReport {
  readonly platform: string
  /** As configured; undefined if not configured. */
  readonly model?: unknown
  readonly cwd: string
  readonly system_prompt: Size
  readonly skills_index: Feature
  readonly memory: Feature
  readonly user_profile: Feature
  readonly tiers: Readonly<Record<PartText['tier'], Size>>
  readonly parts: readonly (Size & { name: string; tier: PartText['tier']; plugin: string; failed?: string })[]
  readonly tools: {
    readonly count: number
    readonly json_bytes: number
    readonly each: readonly { readonly name: string; readonly plugin: string; readonly json_bytes: number }[]
  }
  readonly total_bytes: number
  readonly estimated_tokens: number
  readonly budget_bytes: number
  readonly within_budget: boolean
}

export async function showSize(ctx: PluginContext<Config>, { options }: CliArguments, io: CliContext): Promise<void> {
  const platform = typeof options['platform'] === 'string' ? options['platform'] : 'cli'
  checkPlatform(ctx, platform)
  await loadPlatform(ctx, platform)
  const report = await measure(ctx, platform, io.cwd)
  io.out(options['json'] ? `${JSON.stringify(report, undefined, 2)}\n` : sizeText(report))
}

function checkPlatform(ctx: PluginContext<Config>, platform: string): void {
  const contributed = ctx
    .use(Plugins)
    .list()
    .flatMap(({ manifest }) => manifest.contributes?.['platforms'] ?? [])
  const names = [...new Set(['cli', 'api', ...contributed])]
  if (names.includes(platform)) return
  const message = `There is no platform "${platform}". Those there are: ${names.join(', ')}.`
  throw new SvcError('PROMPT_PLATFORM_UNKNOWN', message, { status: 404 })
}

/**
 * Loads what the process that connects the platform has loaded: the platform's plugin, and who provides the services that
 * it is loaded with. Connects nothing.
 */
async function loadPlatform(ctx: PluginContext<Config>, platform: string): Promise<void> {
  const plugins = ctx.use(Plugins)
  const owner = plugins.list().find(({ manifest }) => manifest.contributes?.['platforms']?.includes(platform))
  if (!owner) return
  const wanted = owner.manifest.with ?? []
  const providers = plugins.list().filter(({ manifest }) => manifest.provides?.some((name) => wanted.includes(name)))
  for (const { manifest } of [...providers, owner]) await plugins.enable(manifest.name)
}

/** What a new session in this folder would send. */
async function measure(ctx: PluginContext<Config>, platform: string, cwd: string): Promise<SizeReport> {
  // Fails without the agent: tools depend on it, and without them the figures would be wrong.
  ctx.use(Agent)
  const at: TurnContext = {
    sessionId: 'prompt-size',
    turnId: 'prompt-size',
    surface: platform,
    cwd,
    model: { provider: '', model: '' },
    purpose: 'user',
    person: unreachablePerson,
  }
  const parts = await partTexts(ctx, at)
  const spoken = parts.filter(({ text }) => text)
  const prompt = spoken.map(({ text }) => text).join('\n\n')
  const tools = toolSizes(ctx, await offeredTools(ctx, at))
  const toolBytes = tools.reduce((sum, tool) => sum + tool.json_bytes, 0)
  const total = measureText(prompt).bytes + toolBytes
  const toolChars = tools.reduce((sum, tool) => sum + tool.chars, 0)
  return {
    platform,
    model: ctx.use(Settings).get('model.default'),
    cwd,
    system_prompt: measureText(prompt),
    skills_index: feature(parts, 'skills-index'),
    memory: feature(parts, 'memory'),
    user_profile: feature(parts, 'user-profile'),
    tiers: { stable: tier(parts, 'stable'), context: tier(parts, 'context'), volatile: tier(parts, 'volatile') },
    parts: parts.map(({ text, ...part }) => ({ ...part, ...measureText(text) })),
    tools: { count: tools.length, json_bytes: toolBytes, each: tools.map(({ chars: _, ...tool }) => tool) },
    total_bytes: total,
    estimated_tokens: Math.ceil((prompt.length + toolChars) / CHARACTERS_PER_TOKEN),
    budget_bytes: BUDGET_BYTES,
    within_budget: total <= BUDGET_BYTES,
  }
}

function measureText(text: string): Size {
  return { chars: text.length, bytes: Buffer.byteLength(text) }
}

function feature(parts: readonly PartText[], name: string): Feature {
  const part = parts.find((each) => each.name === name)
  if (!part) return { chars: 0, bytes: 0, reason: 'no plugin that brings it is loaded' }
  if (part.failed) return { chars: 0, bytes: 0, reason: `it failed: ${part.failed}` }
  return part.text ? measureText(part.text) : { chars: 0, bytes: 0, reason: 'there is nothing in it yet' }
}

/** Of the parts alone; the blank lines between them count for the whole only. */
function tier(parts: readonly PartText[], name: PartText['tier']): Size {
  const sizes = parts.filter((part) => part.tier === name).map(({ text }) => measureText(text))
  const sum = (of: (size: Size) => number) => sizes.reduce((total, size) => total + of(size), 0)
  return { chars: sum((size) => size.chars), bytes: sum((size) => size.bytes) }
}

function toolSizes(ctx: PluginContext<Config>, offered: readonly string[]) {
  const tools = ctx.all(Tools)
  return [...tools.all()]
    .filter(({ name }) => offered.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => {
      const text = definitionText(tool)
      const plugin = tools.owner(tool.name) ?? 'unknown'
      return { name: tool.name, plugin, json_bytes: Buffer.byteLength(text), chars: text.length }
    })
}

/** As the agent tells a model of it. */
function definitionText({ name, description, input }: Tool): string {
  const schema = input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
  const { $schema: _, additionalProperties: __, ...parameters } = schema
  return JSON.stringify({ name, description, parameters })
}
