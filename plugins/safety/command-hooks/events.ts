/**
 * The events of the public format (https://code.claude.com/docs/en/hooks), as far as svc has a moment for them. The names, the
 * fields and the default time limits are those of that reference.
 */

/** What of an event its matchers are compared with, for people. */
type Subject = 'tool' | 'source' | 'reason' | 'trigger' | 'type' | 'agent' | 'none'

/** What is known of an event. */
export interface EventFacts {
  readonly subject: Subject
  /** Exit code 2 and the decision to block stop what is about to happen. */
  readonly blocks: boolean
  /** Text on standard output that is no JSON goes to the model. */
  readonly plainContext: boolean
  /** Seconds, unless a hook says otherwise. */
  readonly timeout: number
  /** The fields that an event has besides those of all events: what `svc hooks test` sends. */
  readonly sample: Readonly<Record<string, unknown>>
}

/** The reference says 600 s; the gates of svc deny after that, so hooks end before. */
export const MAX_TIMEOUT = 590

const tool = { tool_name: 'Bash', tool_input: { command: 'echo hello' }, tool_use_id: 'sample' }
const step = { task_id: 'sample', task_subject: 'Mend the tests' }
const subagent = { agent_id: 'sample', agent_type: 'general-purpose' }
const notifying = { blocks: false, plainContext: false, timeout: MAX_TIMEOUT } as const

export const EVENTS = {
  PreToolUse: { subject: 'tool', blocks: true, plainContext: false, timeout: MAX_TIMEOUT, sample: tool },
  PostToolUse: { ...notifying, subject: 'tool', sample: { ...tool, tool_response: { text: 'hello\n' } } },
  PostToolUseFailure: { ...notifying, subject: 'tool', sample: { ...tool, error: 'exit 1' } },
  PostToolBatch: {
    ...{ ...notifying, subject: 'none' },
    sample: { tool_calls: [{ ...tool, tool_response: { text: 'hello\n' } }] },
  },
  UserPromptSubmit: { subject: 'none', blocks: true, plainContext: true, timeout: 30, sample: { prompt: 'hello' } },
  Stop: {
    ...{ subject: 'none', blocks: true, plainContext: false, timeout: MAX_TIMEOUT },
    sample: { stop_hook_active: false, last_assistant_message: 'Done.' },
  },
  StopFailure: { ...notifying, subject: 'none', sample: { error: 'failed' } },
  SessionStart: { ...notifying, subject: 'source', plainContext: true, sample: { source: 'startup' } },
  SessionEnd: { ...notifying, subject: 'reason', timeout: 1.5, sample: { reason: 'other' } },
  PreCompact: {
    ...{ subject: 'trigger', blocks: true, plainContext: false, timeout: MAX_TIMEOUT },
    sample: { trigger: 'manual', custom_instructions: '' },
  },
  PostCompact: {
    ...{ ...notifying, subject: 'trigger' },
    sample: { trigger: 'manual', compact_summary: 'The tests were mended.' },
  },
  SubagentStart: { ...notifying, subject: 'agent', plainContext: true, sample: subagent },
  SubagentStop: {
    ...{ subject: 'agent', blocks: true, plainContext: false, timeout: MAX_TIMEOUT },
    sample: { stop_hook_active: false, last_assistant_message: 'Done.', ...subagent, agent_transcript_path: '' },
  },
  TaskCreated: { subject: 'none', blocks: true, plainContext: false, timeout: MAX_TIMEOUT, sample: step },
  TaskCompleted: { subject: 'none', blocks: true, plainContext: false, timeout: MAX_TIMEOUT, sample: step },
  CwdChanged: { ...notifying, subject: 'none', sample: { old_cwd: '/work', new_cwd: '/work/src' } },
  InstructionsLoaded: {
    ...{ ...notifying, subject: 'reason' },
    sample: { file_path: '/work/AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
  },
  Notification: {
    ...{ ...notifying, subject: 'type' },
    sample: { notification_type: 'permission_prompt', message: 'A tool needs your permission' },
  },
  ConfigChange: { ...notifying, subject: 'source', sample: { source: 'user_settings' } },
} as const satisfies Readonly<Record<string, EventFacts>>

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name)
}

/** The facts of an event without the literal types of the table. */
export function listFacts(event: EventName): EventFacts {
  return EVENTS[event]
}
