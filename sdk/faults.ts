/** Faults that become a sentence: what a person is told has no stack, so the log has it. */
import { errorCode } from './errors.ts'
import type { Logger } from './plugin.ts'

const logged = new WeakSet<object>()

/**
 * For code that turns an error into words: writes it to the log with its stack and causes, once, however many catch it on its
 * way. `owner` is the plugin whose code failed, where it is known. Errors with a code, and interruptions, explain themselves.
 */
export function logFault(log: Pick<Logger, 'warn'>, what: string, error: unknown, owner?: string): void {
  const chain = causesOf(error)
  const isExpected = chain.some((each) => errorCode(each) !== 'INTERNAL' || (each as Error).name === 'AbortError')
  if (isExpected || chain.some((each) => logged.has(each))) return
  for (const each of chain) logged.add(each)
  log.warn(what, { ...(owner !== undefined && { owner }), error })
}

function causesOf(error: unknown): object[] {
  const chain: object[] = []
  for (let each = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each)
  return chain
}
