/** Hooks as they run: groups of the configuration and of projects, flattened in their order. */
import type { CommandEntry, Group } from './config.ts'
import { EVENT_NAMES, type EventName, listFacts } from './events.ts'

/** One command of one event. */
export interface Hook {
  /** For people: `PreToolUse#1`, `project:Stop#2`. Counts from 1 within its source and event. */
  readonly id: string
  readonly source: 'config' | 'project'
  readonly event: EventName
  readonly matcher: string
  readonly command: string
  /** The command is a program, and these are its arguments; no shell reads them. */
  readonly args?: readonly string[]
  readonly timeoutMs: number
  /** What is about to happen does not wait for it. */
  readonly isAsync: boolean
  readonly onFailure: 'ignore' | 'block'
  readonly needs: readonly string[]
}

/** All hooks of a source. */
export function parseHooks(
  source: Hook['source'],
  groups: Readonly<Partial<Record<EventName, readonly Group[]>>>,
): readonly Hook[] {
  return EVENT_NAMES.flatMap((event) => {
    const entries = (groups[event] ?? []).flatMap(({ matcher, hooks }) => hooks.map((entry) => ({ matcher, entry })))
    const prefix = source === 'project' ? 'project:' : ''
    return entries.map(({ matcher, entry }, at) =>
      parseHook(entry, { source, event, matcher, id: `${prefix}${event}#${at + 1}` }),
    )
  })
}

function parseHook(entry: CommandEntry, place: Pick<Hook, 'source' | 'event' | 'matcher' | 'id'>): Hook {
  const { command, args, timeout = listFacts(place.event).timeout, needs } = entry
  const onFailure = entry.on_failure ?? entry.onFailure ?? 'ignore'
  return { ...place, command, ...(args && { args }), timeoutMs: timeout * 1000, isAsync: entry.async, onFailure, needs }
}

/** The line that people know it by. */
export function formatHook({ command, args = [] }: Pick<Hook, 'command' | 'args'>): string {
  return [command, ...args].join(' ')
}
