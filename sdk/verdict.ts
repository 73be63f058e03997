/** Verdicts: what a listener of a `decide` hook answers, and how several of them become one. */

/** The question to a person when a listener answers `ask`. Plain data. @since 0.2 */
export interface DecisionQuestion {
  /** Why it is asked; follows "It": "deletes folders recursively". */
  readonly reason: string
  /** What would be done, as it would be done. Left out: what the hook is called with. */
  readonly action?: string
  /** What may be answered; left out: once or not at all. */
  readonly choices?: readonly ('once' | 'session' | 'project' | 'always' | 'deny')[]
  /**
   * What an answer for longer than once covers, in the words of the listener: a standing answer holds for a later
   * question only if it covers all of its subjects. Left out: an answer holds once.
   */
  readonly subjects?: readonly string[]
  /** The same for the very same thing: an answer that a crash left behind is found by it. */
  readonly hash?: string
  /** What the answers for longer than once cover, in one sentence for people: "every `rm -r` below /home/me/app/build". */
  readonly covers?: string
}

/** Why something is not allowed: for people, for programs, for the model. @since 0.1 */
export interface Denial {
  /** For the model and the user. Without a full stop. */
  readonly reason?: string
  /** The reason for programs, in lower case with hyphens: `timeout`, `user`. Its meaning does not change. */
  readonly code?: string
  /** What the model should do instead. It follows the reason in what the model reads, and people are not shown it. */
  readonly advice?: string
}

/** The result of a `decide` hook. `allow` is true only when the decision is `allow`. @since 0.2 */
export interface HookDecision extends Denial {
  /** Strictest first: `deny` wins over `ask`, `ask` over `allow`, `allow` over `abstain`. */
  readonly decision: 'deny' | 'ask' | 'allow' | 'abstain'
  readonly allow: boolean
  /** Of `ask`: one question for each listener that asks. */
  readonly questions?: readonly DecisionQuestion[]
  /** The plugins whose verdict this is. */
  readonly by?: readonly string[]
  /** What the listeners add for the model, whatever they decided; one paragraph for each. */
  readonly context?: string
}

/**
 * What a listener may return. `{ allow: true }` means "no objection": it never outweighs a stricter listener.
 * `{ allow: false }` and `{ block: true }` deny. Any other value is not a verdict and counts as the failure of its author.
 * @since 0.2
 */
export type HookDecisionResult =
  | ({ readonly decision: 'deny' } & Denial)
  | { readonly decision: 'ask'; readonly reason?: string; readonly question: DecisionQuestion }
  | { readonly decision: 'allow' | 'abstain'; readonly reason?: string }
  | ({ readonly allow: boolean } & Denial)
  | ({ readonly block: true } & Denial)

/** The same, with a text for the model that is read with the result of the call, whatever is decided. @since 0.2 */
export type ToolDecisionResult = (HookDecisionResult & { readonly context?: string }) | { readonly context: string }

/** One word of a verdict. @since 0.2 */
export type DecisionKind = HookDecision['decision']

const DECISIONS: readonly DecisionKind[] = ['deny', 'ask', 'allow', 'abstain']
const TEXTS = ['reason', 'code', 'advice'] as const satisfies readonly (keyof Denial)[]
const FIELDS: readonly string[] = ['decision', 'allow', 'block', 'question', 'questions', 'by', ...TEXTS]

/** The same, where a verdict may carry a text for the model. */
export function parseToolDecision(value: unknown): HookDecision | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'context')) return parseDecision(value)
  const { context, ...verdict } = value as Record<string, unknown>
  const isAlone = Object.keys(verdict).length === 0
  const parsed = parseDecision(isAlone ? undefined : verdict)
  if (!parsed || !isOptionalText(context)) return undefined
  return context === undefined ? parsed : { ...parsed, context: context as string }
}

/** The verdict for a value; undefined if it is not a verdict. `undefined` itself abstains. @since 0.2 */
export function parseDecision(value: unknown): HookDecision | undefined {
  if (value === undefined) return { decision: 'abstain', allow: false }
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Record<string, unknown>
  if (Object.keys(given).some((key) => !FIELDS.includes(key))) return undefined
  const decision = readDecision(given)
  if (decision === undefined || TEXTS.some((key) => !isOptionalText(given[key]))) return undefined
  const questions = decision === 'ask' ? readQuestions(given) : []
  if (questions === undefined) return undefined
  return {
    decision,
    allow: decision === 'allow',
    ...Object.fromEntries(TEXTS.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]))),
    ...(questions.length > 0 && { questions }),
  }
}

/** What the author of a listener should return in place of a value that is not a verdict. */
export function findDecisionAdvice(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null
  if (isObject && ('input' in value || 'updatedInput' in value))
    return "A decision cannot change the input: listen to BeforeToolInput and return { name, input } there; here return { decision: 'allow' } or nothing."
  const other = isObject ? Object.keys(value).find((key) => !FIELDS.includes(key)) : undefined
  const unknown = other === undefined ? '' : `It does not know "${other}". `
  return `${unknown}Return { decision: 'deny', reason } to refuse, { decision: 'ask', question: { reason } } to ask a person, or nothing to abstain.`
}

const isOptionalText = (value: unknown) => value === undefined || typeof value === 'string'

/**
 * All verdicts become one, or none where all abstain without a context: the strictest, with the reasons, advice and questions of all that gave it; the code is the first one's.
 * @since 0.2
 */
export function strictestDecision(verdicts: readonly HookDecision[]): HookDecision | undefined {
  const decision = DECISIONS.find((each) => verdicts.some((verdict) => verdict.decision === each))
  const context = verdicts.flatMap((verdict) => verdict.context ?? []).join('\n\n')
  if (decision === undefined || (decision === 'abstain' && !context)) return undefined
  const same = verdicts.filter((verdict) => verdict.decision === decision)
  const reason = [...new Set(same.flatMap((verdict) => verdict.reason ?? []))].join('; ')
  const advice = [...new Set(same.flatMap((verdict) => verdict.advice ?? []))].join('. ')
  const code = same.find((verdict) => verdict.code !== undefined)?.code
  const questions = same.flatMap((verdict) => verdict.questions ?? [])
  const by = same.flatMap((verdict) => verdict.by ?? [])
  return {
    decision,
    allow: decision === 'allow',
    ...(reason && { reason }),
    ...(code !== undefined && { code }),
    ...(advice && { advice }),
    ...(questions.length > 0 && { questions }),
    ...(by.length > 0 && { by }),
    ...(context && { context }),
  }
}

function readDecision({ decision, allow, block }: Record<string, unknown>): DecisionKind | undefined {
  // Beside another answer, or with another value, it is not clear what is meant.
  if (block !== undefined) return block === true && decision === undefined && allow === undefined ? 'deny' : undefined
  if (decision === undefined) return typeof allow === 'boolean' ? (allow ? 'allow' : 'deny') : undefined
  const isKnown = DECISIONS.includes(decision as DecisionKind)
  const agrees = allow === undefined || allow === (decision === 'allow')
  return isKnown && agrees ? (decision as DecisionKind) : undefined
}

function readQuestions({ question, questions, reason }: Record<string, unknown>): DecisionQuestion[] | undefined {
  const given = Array.isArray(questions) ? questions : question === undefined ? [{ reason }] : [question]
  return given.length > 0 && given.every(isQuestion) ? given : undefined
}

function isQuestion(value: unknown): value is DecisionQuestion {
  const { reason, action, choices, subjects } = (value ?? {}) as Record<string, unknown>
  const isText = (each: unknown) => typeof each === 'string'
  const isList = (each: unknown) => each === undefined || (Array.isArray(each) && each.every(isText))
  return isText(reason) && (action === undefined || isText(action)) && isList(choices) && isList(subjects)
}
