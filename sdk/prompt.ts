/** The system prompt, made of parts. Built once per conversation so that its bytes stay the same. */
import type { TurnContext } from './agent.ts'
import {
  checkMembers,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Registered,
  type TransformHook,
  transformHook,
} from './declarations.ts'
import type { TurnEventData } from './turn-events.ts'

/**
 * A conversation that begins: a part may ask a person, and say what it left out. Parts are also asked for their text
 * without one, to show what it would be.
 * @since 0.2
 */
export interface PromptContext {
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal
  /** Puts an event into the stream of the turn. */
  emit(event: TurnEventData): void
}

/** A file of notes for agents, such as AGENTS.md. @since 0.2 */
export interface ProjectNote {
  /** Relative to the working folder, with slashes. */
  readonly path: string
  readonly text: string
}

/**
 * The notes of a project were read, and the person agreed to them: they are about to become part of the system prompt. A
 * listener may add notes, change them or leave them out. Called once for a conversation, with `occasion`, and without it where
 * the prompt is only measured or compared: the same notes have to give the same result.
 * @since 0.2
 */
export const SelectProjectNotes: TransformHook<
  readonly ProjectNote[],
  TurnContext & { readonly occasion?: PromptContext }
> = transformHook('prompt:project-notes', { accepts: areNotes })

function areNotes(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((note: Partial<ProjectNote> | null) => typeof note?.path === 'string' && typeof note.text === 'string')
  )
}

/** Contributed to `PromptParts`; parts are joined by tier, then by `order`, then by name. @since 0.1 */
export interface PromptPart extends Ordered {
  readonly name: string
  /**
   * `stable`: same for every session; `context`: of the working folder; `volatile` (default): of this session. What changes
   * more often stands later, so that providers can cache what is before it.
   */
  readonly tier?: 'stable' | 'context' | 'volatile'
  /**
   * The text, or undefined to stay out. A part that throws is left out and its plugin is reported; the turn continues,
   * unless the plugin guards a gate.
   */
  text(
    turn: TurnContext & { readonly tools: readonly string[]; readonly occasion?: PromptContext },
  ): string | undefined | Promise<string | undefined>
}
/** @since 0.1 */
export const PromptParts: ExtensionPoint<Registered<PromptPart, 'tier'>, PromptPart> = extensionPoint(
  'prompt-parts',
  (part: PromptPart) => part.name,
  undefined,
  { problem: partProblem, defaults: () => ({ tier: 'volatile' }) },
)

const membersProblem = checkMembers({ name: 'string', tier: 'string?', text: 'function' })

function partProblem(item: unknown): string | undefined {
  return membersProblem(item) ?? tierProblem((item as PromptPart).tier)
}

function tierProblem(tier: unknown): string | undefined {
  const isKnown = tier === undefined || ['stable', 'context', 'volatile'].includes(tier as string)
  return isKnown ? undefined : `has the tier "${tier}", which is not stable, context or volatile`
}
