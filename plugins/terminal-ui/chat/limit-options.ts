/** Options that limit what the model may use: its tools and its reasoning. */
import { type CliArguments, type ConversationSettings, type PluginContext, SvcError, Tools } from 'svc/sdk'

export type ReasoningLevel = NonNullable<ConversationSettings['reasoning']>

const LEVELS: readonly string[] = ['none', 'low', 'medium', 'high', 'xhigh'] satisfies readonly ReasoningLevel[]

/** Throws `CLI_USAGE` for a level that does not exist. */
export function reasoningLevel(level: string | undefined): ReasoningLevel | undefined {
  if (level === undefined || LEVELS.includes(level)) return level as ReasoningLevel | undefined
  throw new SvcError('CLI_USAGE', `--thinking is "${level}"; choose one of ${LEVELS.join(', ')}.`)
}

/** Names of toolsets and tools; undefined means all that are enabled. Throws `CLI_USAGE` for a name that does not exist. */
export function limitedTools(
  ctx: Pick<PluginContext<undefined>, 'all'>,
  option: CliArguments['options'][string],
): readonly string[] | undefined {
  if (option === false) return []
  if (typeof option !== 'string') return undefined
  const names = option.split(/[\s,]+/).filter((name) => name !== '')
  const tools = ctx.all(Tools).all()
  const known = new Set(tools.flatMap(({ name, toolset }) => [name, toolset]))
  const unknown = names.filter((name) => !known.has(name))
  if (names.length > 0 && unknown.length === 0) return names
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))].sort().join(', ')
  const what = unknown.length > 0 ? `--tools: there is no "${unknown.join('", "')}"` : '--tools names nothing'
  throw new SvcError('CLI_USAGE', `${what}. The toolsets are ${toolsets}; \`svc tools list\` shows their tools.`)
}
