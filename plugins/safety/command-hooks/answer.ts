/** What a command answers by its exit code and its output, as the public format defines it. */
import { z } from 'zod'
import { type EventName, listFacts } from './events.ts'
import type { Hook } from './hook.ts'
import type { CommandEnd } from './run-command.ts'

/** Longest text of a hook that is passed on, in characters, as in the reference. */
const MAX_TEXT = 10_000

const output = z.object({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['approve', 'block']).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .object({
      hookEventName: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
      updatedToolOutput: z.string().optional(),
    })
    .optional(),
})

/** What one hook wants. */
export interface HookAnswer {
  /** `deny`, `ask` and `allow` of a gate; other events know `deny` only. */
  readonly decision?: 'deny' | 'ask' | 'allow'
  readonly reason?: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  readonly updatedOutput?: string
  /** For the model. */
  readonly context?: string
  /** For the person. */
  readonly message?: string
  /** The turn is to stop, and why. */
  readonly stop?: string
  /** What went wrong; the hook has no say then, unless its failure blocks. */
  readonly failure?: string
}

/** Reads what a hook answered. Does not throw. */
export function toAnswer(hook: Hook, end: CommandEnd): HookAnswer {
  const failure = toFailure(hook, end)
  if (failure !== undefined) return failed(hook, failure)
  if (end.code === 2) {
    const reason = cut(end.stderr.trim()) || `the hook ${hook.id} gave no reason`
    return listFacts(hook.event).blocks ? { decision: 'deny', reason } : afterwards(hook.event, reason)
  }
  const text = end.stdout.trim()
  if (!text.startsWith('{')) return listFacts(hook.event).plainContext && text ? { context: cut(text) } : {}
  return jsonAnswer(hook, text)
}

function toFailure({ timeoutMs }: Hook, { kind, code, detail, stderr }: CommandEnd): string | undefined {
  if (kind === 'timeout') return `it did not end within ${timeoutMs / 1000} s`
  if (kind === 'flood') return 'it wrote more than 1 MiB'
  if (kind === 'interrupted') return 'it was interrupted'
  if (kind === 'not-started') return `it could not be started: ${detail}`
  if (code === undefined) return detail ?? 'it was ended'
  if (code === 0 || code === 2) return undefined
  const [line = ''] = stderr.trim().split('\n')
  return `it ended with ${code}${line && `: ${line.slice(0, 300)}`}`
}

/** A failure does not block, unless the user said so. */
export function failed({ id, event, onFailure }: Hook, failure: string): HookAnswer {
  if (onFailure === 'ignore' || !listFacts(event).blocks) return { failure }
  return { failure, decision: 'deny', reason: `the hook ${id} failed, which blocks: ${failure}` }
}

/** Exit code 2 where nothing can be blocked any more: the model learns of it after a tool, the person otherwise. */
function afterwards(event: EventName, reason: string): HookAnswer {
  return listFacts(event).subject === 'tool' ? { context: reason } : { message: reason }
}

function jsonAnswer(hook: Hook, text: string): HookAnswer {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return failed(hook, 'it printed what begins like JSON and is not')
  }
  const { data, error } = output.safeParse(value)
  if (!data) return failed(hook, `it printed a decision that is not valid: ${z.prettifyError(error).split('\n')[0]}`)
  const specific = data.hookSpecificOutput ?? {}
  const { hookEventName: name = hook.event } = specific
  if (name !== hook.event)
    return failed(hook, `it answered for ${JSON.stringify(name.slice(0, 60))}, not for ${hook.event}`)
  const { updatedInput, updatedToolOutput } = specific
  const decided = toDecision(hook.event, data, specific)
  const reason = specific.permissionDecisionReason ?? data.reason
  const texts = [decided === 'feedback' ? reason : undefined, specific.additionalContext]
  return {
    ...(decided !== 'feedback' && decided && { decision: decided }),
    ...(reason !== undefined && { reason: cut(reason) }),
    ...(hook.event === 'PreToolUse' && updatedInput && { updatedInput }),
    ...(hook.event === 'PostToolUse' && updatedToolOutput !== undefined && { updatedOutput: updatedToolOutput }),
    ...listTexts(hook, data, texts.filter(Boolean).join('\n')),
  }
}

/** What goes to the model, what to the person, and why the turn stops. */
function listTexts(
  { id }: Hook,
  { systemMessage, stopReason, continue: goesOn }: z.infer<typeof output>,
  context: string,
): Pick<HookAnswer, 'context' | 'message' | 'stop'> {
  return {
    ...(context && { context: cut(context) }),
    ...(systemMessage && { message: cut(systemMessage) }),
    ...(goesOn === false && { stop: cut(stopReason ?? `the hook ${id} stopped the turn`) }),
  }
}

function toDecision(
  event: EventName,
  { decision }: z.infer<typeof output>,
  { permissionDecision }: NonNullable<z.infer<typeof output>['hookSpecificOutput']>,
): HookAnswer['decision'] | 'feedback' {
  if (event === 'PreToolUse' && permissionDecision) return permissionDecision
  if (decision === 'block') return listFacts(event).blocks ? 'deny' : 'feedback'
  return decision === 'approve' && event === 'PreToolUse' ? 'allow' : undefined
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} characters left out]`
}

/** The answers of all hooks of an event, as one. */
export interface Outcome {
  /** The strictest: deny, ask, allow. */
  readonly decision?: 'deny' | 'ask' | 'allow'
  readonly reason: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  readonly updatedOutput?: string
  readonly contexts: readonly string[]
  readonly messages: readonly string[]
  readonly stop?: string
}

export const NO_OUTCOME: Outcome = { reason: '', contexts: [], messages: [] }

/** In the order of the configuration: of two that change the same, the later one holds. */
export function joined(answers: readonly HookAnswer[]): Outcome {
  const decision = (['deny', 'ask', 'allow'] as const).find((each) =>
    answers.some((answer) => answer.decision === each),
  )
  const reasons = answers.flatMap((answer) => (answer.decision === decision && answer.reason ? [answer.reason] : []))
  const last = <K extends keyof HookAnswer>(key: K) => answers.findLast((answer) => answer[key] !== undefined)?.[key]
  const [updatedInput, updatedOutput, stop] = [last('updatedInput'), last('updatedOutput'), last('stop')]
  return {
    ...(decision && { decision }),
    reason: [...new Set(decision ? reasons : [])].join('; '),
    ...(updatedInput && { updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput }),
    contexts: answers.flatMap(({ context }) => context ?? []),
    messages: answers.flatMap(({ message }) => message ?? []),
    ...(stop !== undefined && { stop }),
  }
}
