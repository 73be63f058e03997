/** What a method throws, as an error of the protocol. */
import { errorCode, errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import type { RequestError } from './protocol.ts'

/** JSON-RPC 2.0, section 5.1, and -32002 of the protocol: not found. */
const NUMBERS: Readonly<Record<string, number>> = {
  ACP_SESSION_UNKNOWN: -32002,
  SESSION_NOT_FOUND: -32002,
  ACP_FOLDER: -32602,
  ACP_CONTENT: -32602,
  ACP_SETTING: -32602,
  ACP_CURSOR: -32602,
}

function getErrorNumber(error: unknown): number {
  return NUMBERS[errorCode(error)] ?? -32603
}

/** Wraps a method. Only errors that were made for people are passed on word for word. */
export function withFailures(ctx: PluginContext<undefined>, makeError: typeof RequestError) {
  return <In, Out>(method: string, work: (context: In) => Promise<Out> | Out) => {
    return async (context: In): Promise<Out> => {
      try {
        return await work(context)
      } catch (error) {
        logFault(ctx.log, `the method ${method} failed`, error)
        const isForPeople = error instanceof SvcError
        const text = isForPeople ? errorMessage(error) : 'The method failed; the log of svc says why.'
        throw new makeError(getErrorNumber(error), text, { code: errorCode(error) })
      }
    }
  }
}
