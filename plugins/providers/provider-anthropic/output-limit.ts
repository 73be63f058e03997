/** How much a model may write: the Messages API wants a limit with every call and refuses one that is too high. */

/** Tokens by the beginning of a model's id, after https://docs.anthropic.com/en/docs/about-claude/models/overview. */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(2|instant|3-(opus|sonnet|haiku))/, 4096],
  [/^claude-3-5-/, 8192],
  [/^claude-opus-4(-1)?(-\d{8}|-latest)?$/, 32_000],
  [/^claude-opus-4-0/, 32_000],
  // Those of version 5 may write twice as much; every call would then count as that much against the rate limit.
  [/^claude-(3-7|(sonnet|haiku|opus)-[4-9]|fable|mythos)/, 64_000],
]
/** Every newer model writes at least this much. */
const OTHER = 32_000

/** The most tokens that one answer of a model may have. */
export function outputLimit(model: string): number {
  return LIMITS.find(([pattern]) => pattern.test(model))?.[1] ?? OTHER
}
