/** Faults that become a sentence: the message to the user has no stack, so it is logged. */
import { errorCode } from './errors.ts'
import type { Logger } from './plugin.ts'

const logged = new WeakSet<object>()

/**
 * For code that turns an error into words: writes it to the log with its stack and causes, once, however many catch it on its
 * way. `owner` is the plugin whose code failed, where it is known. An error that explains itself is not logged: an
 * interruption, and one with a code, unless its first cause is a mistake of code (a `TypeError`, an error without a code).
 * @since 0.1
 */
export function logFault(log: Pick<Logger, 'warn'>, what: string, error: unknown, owner?: string): void {
  const chain = listCauses(error)
  if (isExplained(chain) || chain.some((each) => logged.has(each))) return
  for (const each of chain) logged.add(each)
  log.warn(what, { ...(owner !== undefined && { owner }), error })
}

function isExplained(chain: readonly Error[]): boolean {
  if (chain.some(({ name }) => name === 'AbortError')) return true
  const first = chain.at(-1)
  return first !== undefined && chain.some((each) => errorCode(each) !== 'INTERNAL') && isExpected(first)
}

/** What code meets without a mistake in it: failures of ours, of the system, of time and of what others wrote. */
function isExpected(first: Error): boolean {
  const { code, issues } = first as { readonly code?: unknown; readonly issues?: unknown }
  return typeof code === 'string' || Array.isArray(issues) || ['TimeoutError', 'SyntaxError'].includes(first.name)
}

function listCauses(error: unknown): Error[] {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each)
  return chain
}
