/**
 * What svc offers as a server of the Model Context Protocol besides its own: tools, prompts and resources of plugins, for editors,
 * desktops and other agents. https://modelcontextprotocol.io/specification/2025-11-25/server
 */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { McpToolAnnotations } from './mcp.ts'
import type { Dispose } from './plugin.ts'
import type { Schema } from './schema.ts'

/** Something to read: its text, or its bytes in base64 as `blob`. @since 0.2 */
export interface McpResourceContent {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

/** `data` is in base64. https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock @since 0.2 */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: McpResourceContent }

/** @since 0.2 */
export interface McpMessage {
  readonly role: 'user' | 'assistant'
  readonly content: McpContent
}

/**
 * A form for the person at the client. A field is a schema of a string, a number, a boolean or a choice:
 * https://modelcontextprotocol.io/specification/2025-11-25/schema#primitiveschemadefinition. Forms are not for secrets.
 * @since 0.2
 */
export interface McpForm {
  readonly message: string
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Names of fields that have to be filled in. */
  readonly required?: readonly string[]
}

/** `content` has the fields of a form that was accepted. @since 0.2 */
export interface McpFormReply {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** What the model of a client is asked. @since 0.2 */
export interface McpSampleRequest {
  readonly messages: readonly McpMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
}

/** @since 0.2 */
export interface McpSampleReply {
  readonly model: string
  readonly content: McpContent
}

/** A client that is connected. @since 0.2 */
export interface McpClient {
  /** Unique while svc runs. */
  readonly id: string
  /** As it calls itself: data, like all that comes from it. */
  readonly name: string
  readonly version: string
  /** The folder in which its new sessions work. */
  readonly cwd: string
  /** Its name in `mcp_serve.clients`, proven by its key; left out for who started svc or has the main key. */
  readonly account?: string
}

/** The call of a client. What it is told on the way arrives before the result; none of it throws. @since 0.2 */
export interface McpClientCall {
  readonly client: McpClient
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal
  /** How far the call is, if the client wants to know. `done` must grow; left out: it is counted. */
  progress(step: { readonly message?: string; readonly done?: number; readonly total?: number }): void
  /** A message besides the result, if the client wants messages of this level. */
  log(level: 'debug' | 'info' | 'warning' | 'error', text: string): void
  /** Left out: the client has no forms. Rejects when the client fails or the call is cancelled. */
  fillIn?(form: McpForm, signal?: AbortSignal): Promise<McpFormReply>
  /** Left out: the client lends no model. Rejects as `fillIn` does, and when its person refuses. */
  sample?(request: McpSampleRequest, signal?: AbortSignal): Promise<McpSampleReply>
}

/** @since 0.2 */
export interface McpExportResult {
  readonly content: readonly McpContent[]
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

/**
 * A tool for clients. It passes no gate: a tool that runs commands or changes files is better a `Tool`, which the user serves by
 * naming it in `mcp_serve.tools`. Made by `defineMcpTool`.
 * @since 0.2
 */
export interface McpExportTool<Input = unknown> {
  /** Letters, digits, `_`, `-` and `.`; at most 128 characters. */
  readonly name: string
  readonly description: string
  /** Parsed before `run`; its JSON Schema is sent to the client. */
  readonly input: Schema<Input>
  readonly annotations?: McpToolAnnotations
  /** What it throws is an error of the call; clients read the messages of `SvcError` only. */
  run(input: Input, call: McpClientCall): Promise<McpExportResult | string> | McpExportResult | string
}

/** @since 0.2 */
export interface McpExportPrompt {
  readonly name: string
  readonly description: string
  readonly arguments?: readonly {
    readonly name: string
    readonly description?: string
    readonly required?: boolean
    /** Values that begin with `value`; `given` has the other arguments so far. */
    complete?(
      value: string,
      given: Readonly<Record<string, string>>,
      client: McpClient,
    ): Promise<readonly string[]> | readonly string[]
  }[]
  /** Arguments that are required are there. */
  messages(
    input: Readonly<Record<string, string>>,
    call: McpClientCall,
  ): Promise<readonly McpMessage[]> | readonly McpMessage[]
}

/** @since 0.2 */
export interface McpExportResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType?: string
}

/** Addresses of one form (RFC 6570): `svc://sessions/{id}`. @since 0.2 */
export interface McpResourceTemplate extends Omit<McpExportResource, 'uri'> {
  readonly uriTemplate: string
  /** Values of a variable that begin with `value`; `given` has the other variables so far. */
  complete?(
    variable: string,
    value: string,
    given: Readonly<Record<string, string>>,
    client: McpClient,
  ): Promise<readonly string[]> | readonly string[]
}

/** @since 0.2 */
export interface McpExportResources {
  readonly templates?: readonly McpResourceTemplate[]
  /** At most `limit` of them, from the one at `offset`; fewer are the last ones. */
  list(
    client: McpClient,
    page: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly McpExportResource[]> | readonly McpExportResource[]
  /** Undefined: this resource is not one of these. */
  read(
    uri: string,
    call: McpClientCall,
  ): Promise<readonly McpResourceContent[] | undefined> | readonly McpResourceContent[] | undefined
  /** Calls `changed` whenever the resource is different, until the returned function is called. Undefined: it is not one of these. */
  watch?(uri: string, client: McpClient, changed: () => void): Dispose | undefined
}

/**
 * What a plugin offers to MCP clients of `svc mcp serve`. Contributed to `McpExports`. Lists are made whenever a client asks; names that
 * are taken by svc, or by an export before this one, are left out.
 * @since 0.2
 */
export interface McpExport extends Ordered {
  readonly name: string
  tools?(client: McpClient, signal: AbortSignal): Promise<readonly McpExportTool[]> | readonly McpExportTool[]
  prompts?(client: McpClient, signal: AbortSignal): Promise<readonly McpExportPrompt[]> | readonly McpExportPrompt[]
  readonly resources?: McpExportResources
}
/** Loaded along with `McpClients`. @since 0.2 */
export const McpExports: ExtensionPoint<McpExport> = extensionPoint('mcp-exports', ({ name }) => name, undefined, {
  problem: checkMembers({ name: 'string', tools: 'function?', prompts: 'function?', resources: 'object?' }),
})

/** Types a tool by the schema of its input. @since 0.2 */
export function defineMcpTool<Input>(tool: McpExportTool<Input>): McpExportTool {
  return tool as unknown as McpExportTool
}

/** The clients of `svc mcp serve`, in its process. Provided by the plugin that reads `McpExports`. @since 0.2 */
export interface McpClients {
  list(): readonly McpClient[]
  /** Tells all clients that a list is different from what they were told. */
  changed(list: 'tools' | 'prompts' | 'resources'): void
}
/** @since 0.2 */
export const McpClients: Service<McpClients> = defineService('mcp-clients')
