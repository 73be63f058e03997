/** `/agents`: subagents at work, and what a person does with them. */
import { Clock, createTranslator, type PluginContext, type SlashCommand, type Translate } from 'svc/sdk'
import { formatDuration } from 'svc/sdk/terminal'
import type { LiveChild } from './child-run.ts'
import type { Config } from './config.ts'
import type { Delegations } from './delegations.ts'
import type { SpawnedChild, SpawnTree } from './spawn-tree.ts'

const MAX_GOAL = 100

export function agentsCommand(ctx: PluginContext<Config>, delegations: Delegations): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'agents',
    description: 'List the subagents at work, stop one, or let none begin',
    category: 'Session',
    argsHint: '[interrupt <id> | pause | resume | history]',
    subcommands: ['interrupt', 'pause', 'resume', 'history'],
    isImmediate: true,
    async run(args, { conversation }) {
      const [verb = '', id = ''] = args.trim().split(/\s+/)
      if (verb === 'pause' || verb === 'resume') {
        delegations.isPaused = verb === 'pause'
        return delegations.isPaused
          ? t('No subagents begin until /agents resume. Those at work go on.')
          : t('Subagents may begin again.')
      }
      if (verb === 'history') return history(await delegations.trees(conversation.sessionId), t)
      const own = delegations.live(conversation.sessionId)
      if (verb === 'interrupt') return interrupt(delegations, own, id, t)
      return list(own, { now: ctx.use(Clock).now(), isPaused: delegations.isPaused, t })
    },
  }
}

function interrupt(delegations: Delegations, own: readonly LiveChild[], id: string, t: Translate): string {
  const found = own.find((child) => child.id === id) ?? (id === '' && own.length === 1 ? own[0] : undefined)
  if (found && delegations.interrupt(found.id)) return t('Stopping {id}.', { id: found.id })
  const ids = own.map((child) => child.id).join(', ')
  if (id === '' && ids !== '') return t('Which one? At work are: {ids}', { ids })
  return t('No subagent {id} is at work here. /agents lists those that are.', { id })
}

function list(
  own: readonly LiveChild[],
  { now, isPaused, t }: { readonly now: number; readonly isPaused: boolean; readonly t: Translate },
): string {
  const paused = isPaused ? [t('Subagents are paused: /agents resume lets the model begin some again.')] : []
  if (own.length === 0) return [t('No subagents are at work.'), ...paused].join('\n')
  const lines = own.map(({ id, unit, startedAt, record, lastTool, task }) => {
    const indent = '  '.repeat(unit.depth)
    const tools = t('{count, plural, one {# tool call} other {# tool calls}}', { count: record.toolCalls })
    const last = lastTool === undefined ? '' : `, ${lastTool}`
    return `${indent}- \`${id}\` ${formatDuration(now - startedAt)}, ${tools}${last}: ${shorten(task.goal)}`
  })
  return [...lines, ...paused].join('\n')
}

function history(trees: readonly SpawnTree[], t: Translate): string {
  if (trees.length === 0) return t('No subagents have worked for this conversation in the last days.')
  return trees.flatMap((tree) => formatTree(tree, '', t)).join('\n')
}

function formatTree({ id, createdAt, children }: SpawnTree, indent: string, t: Translate): string[] {
  const head = `${indent}- \`${id}\` ${new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [head, ...children.flatMap((child) => formatChild(child, `${indent}  `, t))]
}

function formatChild({ id, goal, result, delegations }: SpawnedChild, indent: string, t: Translate): string[] {
  const facts = result
    ? [
        result.status,
        formatDuration(result.duration_seconds * 1000),
        t('{count, plural, one {# tool call} other {# tool calls}}', { count: result.tool_trace.length }),
        t('{input} + {output} tokens', result.tokens),
      ]
    : ['…']
  const below = delegations.flatMap((tree) => formatTree(tree, `${indent}  `, t))
  return [`${indent}- \`${id}\` ${facts.join(', ')}: ${shorten(goal)}`, ...below]
}

function shorten(goal: string): string {
  const flat = goal.replace(/\s+/g, ' ')
  return flat.length > MAX_GOAL ? `${flat.slice(0, MAX_GOAL - 1)}…` : flat
}
