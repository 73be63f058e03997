/** The contract between the protocol and what it serves. */
import type { Schema } from 'svc/sdk'

/** https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock */
export type ServedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

export interface ServedResult {
  readonly content: readonly ServedContent[]
  readonly isError?: boolean
  readonly structuredContent?: Record<string, unknown>
}

/** What a client fills in: one field. */
export interface ClientForm {
  readonly message: string
  readonly field: {
    readonly type: 'string'
    readonly title: string
    readonly enum?: string[]
    readonly enumNames?: string[]
  }
}

/** The call of a client. */
export interface CallContext {
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal
  /** Left out: the client did not ask for it. */
  progress?(text: string): Promise<void>
  /** Tells what svc says besides the answer, if the client wants messages of this level. */
  log(level: 'info' | 'warning' | 'error', text: string): Promise<void>
  /** Puts a form to the person at the client; left out: the client has no forms. Rejects when it fails. */
  fillIn?(form: ClientForm, signal: AbortSignal): Promise<string | undefined>
}

/** A tool as clients see it. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
  readonly inputSchema: Record<string, unknown>
  readonly annotations?: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
}

/** One of this server's own tools. */
export interface OwnTool<Input = unknown> extends Omit<ToolInfo, 'inputSchema'> {
  readonly input: Schema<Input>
  run(input: Input, call: CallContext): Promise<ServedResult>
}

/** Types a tool by its schema. */
export function defineOwnTool<Input>(tool: OwnTool<Input>): OwnTool {
  return tool as unknown as OwnTool
}

/** A result of one text. */
export function toResult(text: string, structuredContent?: Record<string, unknown>): ServedResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) }
}

/** What clients may call. */
export interface ToolDirectory {
  list(): Promise<readonly ToolInfo[]>
  /** Undefined: there is no such tool. Does not reject for what goes wrong in it. */
  call(name: string, input: unknown, call: CallContext): Promise<ServedResult | undefined>
}
