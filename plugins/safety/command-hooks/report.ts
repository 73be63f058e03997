/** Hooks as people and programs are shown them, and the trial of one. */
import { SvcError } from 'svc/sdk'
import { EVENT_NAMES, type EventName, isEventName, listFacts } from './events.ts'
import { formatHook, type Hook } from './hook.ts'
import { findMatch } from './matcher.ts'
import type { HookRunner, KnownHooks, LastRun } from './runner.ts'

/** A hook as plain data. */
export interface ShownHook {
  readonly id: string
  readonly event: EventName
  readonly source: Hook['source']
  /** Left out: it runs. */
  readonly inactive?: 'untrusted' | 'changed'
  readonly matcher: string
  readonly command: string
  readonly timeoutSeconds: number
  readonly onFailure: Hook['onFailure']
  readonly last?: { readonly at: number; readonly ms: number; readonly result: string }
}

export function shownHooks({ hooks, project }: KnownHooks, last: ReadonlyMap<string, LastRun>): readonly ShownHook[] {
  return hooks.map((hook) => {
    const { id, event, source, matcher, timeoutMs, onFailure } = hook
    const state = source === 'project' && project?.state !== 'trusted' ? project?.state : undefined
    const run = last.get(id)
    return {
      ...{ id, event, source, matcher, command: formatHook(hook), timeoutSeconds: timeoutMs / 1000, onFailure },
      ...((state === 'changed' || state === 'untrusted') && { inactive: state }),
      ...(run && { last: { at: run.at, ms: run.ms, result: formatResult(run) } }),
    }
  })
}

/** In a few words. */
export function formatResult({ end, answer }: LastRun): string {
  const { failure, decision, reason = '', stop, context } = answer
  if (failure !== undefined) return `failed: ${failure}${decision ? ' (blocks)' : ''}`
  if (stop !== undefined) return `stops the turn: ${stop}`
  if (decision) return reason ? `${decision}: ${reason}` : decision
  if (context) return `adds to the conversation: ${context.split('\n')[0]}`
  return end.code === 0 ? 'no decision' : `exit ${end.code}`
}

/**
 * Runs the hooks that a word names: an id, or an event, whose matching hooks run. `sample` lies over the event's own sample.
 * Throws `HOOKS_UNKNOWN`. Hooks of a project that is not trusted do not run.
 */
export async function tryHooks(
  runner: HookRunner,
  word: string,
  { cwd, sample = {}, signal }: { cwd: string; sample?: Readonly<Record<string, unknown>>; signal: AbortSignal },
): Promise<readonly { readonly hook: Hook; readonly run: LastRun }[]> {
  const { hooks, project } = await runner.known(cwd)
  const [event = ''] = word.replace(/^project:/, '').split('#')
  if (!isEventName(event)) throw new SvcError('HOOKS_UNKNOWN', `There is no event "${event}". ${list(EVENT_NAMES)}`)
  const fields: Record<string, unknown> = { ...listFacts(event).sample, ...sample }
  const subject = String(
    fields['tool_name'] ??
      fields['source'] ??
      fields['trigger'] ??
      fields['reason'] ??
      fields['notification_type'] ??
      '',
  )
  const meant = hooks.filter((hook) => {
    if (hook.source === 'project' && project?.state !== 'trusted') return false
    return (
      hook.id === word || (hook.event === word && (subject === '' || findMatch(hook.matcher, [subject]) !== undefined))
    )
  })
  if (meant.length === 0)
    throw new SvcError(
      'HOOKS_UNKNOWN',
      `No hook that runs here is meant by "${word}". ${list(hooks.map(({ id }) => id))}`,
    )
  const occasion = { event, sessionId: 'sample', cwd, signal, input: () => fields }
  const place = { project: project?.project ?? cwd, subject }
  return Promise.all(meant.map(async (hook) => ({ hook, run: await runner.run(hook, occasion, place) })))
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'There are no hooks.' : `There are: ${names.join(', ')}.`
}
