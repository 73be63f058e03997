/** The JSON-RPC interface for programs: editors, desktops and scripts that drive svc. Provided by the plugin `rpc`. */
import type { Conversation } from './conversations.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { Schema } from './schema.ts'

/** The program at the other end, as a method sees it. @since 0.2 */
export interface RpcCaller {
  /** Where its sessions work unless it names a folder. */
  readonly cwd: string
  /** Aborted when it is gone. */
  readonly signal: AbortSignal
  /** The open conversation of a `session_id` of this caller. Throws `RPC_SESSION_UNKNOWN`. */
  conversation(sessionId: string): Conversation
  /** Sends an event. `sessionId` is a `session_id` of this caller, or empty for what is about no session. */
  emit(type: string, payload: object, sessionId?: string): void
}

/**
 * A method, contributed to `RpcMethods`. `params` checks what the caller sent, an empty object if it sent nothing; a mismatch is
 * answered with -32602. `run` throws an `SvcError`, which the caller gets with its code; any other error is an internal one.
 * @since 0.2
 */
export interface RpcMethod<Params = unknown, Result = unknown> extends Ordered {
  /** `subject.verb`: `session.create`. */
  readonly name: string
  /** One sentence for `rpc.discover`. */
  readonly summary: string
  readonly params?: Schema<Params>
  /** What the caller gets: a part of `rpc.discover` and of the typed client of the web UI. Results are not checked while svc runs. */
  readonly result?: Schema<Result>
  /** It may take long: later requests do not wait for it. All others are answered in the order in which they came. */
  readonly isSlow?: true
  run(params: Params, caller: RpcCaller): Result | Promise<Result>
}
/** @since 0.2 */
export const RpcMethods: ExtensionPoint<RpcMethod> = extensionPoint('rpc-methods', (method) => method.name, undefined, {
  problem: checkMembers({ name: 'string', summary: 'string', params: 'schema?', result: 'schema?', run: 'function' }),
})

/** A method whose `run` knows the types of its schemas. @since 0.2 */
export function defineRpcMethod<Params = unknown, Result = unknown>(method: RpcMethod<Params, Result>): RpcMethod {
  return method as unknown as RpcMethod
}

/** The transport of messages: standard input and output, or a WebSocket. @since 0.2 */
export interface RpcTransport {
  readonly cwd: string
  /**
   * Milliseconds for which its sessions stay open once it is gone, longer while a turn is at work: `session.resume` on a later
   * connection continues them. Left out: they end with it, and their turns are stopped.
   */
  readonly lingerMs?: number
  /** Sends one message, which is JSON without line ends. Must not throw. */
  send(message: string): void
}

/** One connected program. @since 0.2 */
export interface RpcConnection extends AsyncDisposable {
  /** Takes one message, in the order of arrival. Never throws; what is wrong with it is answered. */
  receive(message: string): void
  /** Answers a message that the transport could not take, such as one that is too long. */
  reject(reason: string): void
  /**
   * No more messages will come: open questions and later ones have no answer. Resolves when all requests are answered and no turn
   * is at work.
   */
  finish(): Promise<void>
  /** Ends the conversations of this program; their turns are stopped. */
  close(): Promise<void>
}

/** Connects programs. The transport decides who may connect. @since 0.2 */
export interface Rpc {
  connect(transport: RpcTransport): RpcConnection
}
export const Rpc: Service<Rpc> = defineService('rpc', { registers: ['connect'] })
