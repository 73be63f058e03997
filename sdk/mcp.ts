/** Servers of the Model Context Protocol whose client svc is: https://modelcontextprotocol.io/specification */
import type { CliContext } from './cli.ts'
import type { ChangeReason } from './config.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { Registration } from './plugin.ts'
import type { ToolResult } from './tools.ts'

/** How a server is reached. `sse`: HTTP as servers spoke it before the version 2025-03-26 of the protocol. @since 0.2 */
export type McpTransport = 'stdio' | 'http' | 'sse'

/**
 * `disabled`: switched off in config.yaml. `idle`: not started yet, or ended because it was not used; a call starts it.
 * `failed`: the last attempt to connect failed, and the next call tries again. `parked`: it failed so often that calls are
 * refused until a probe succeeds. `sign-in`: it wants a person to sign in (`McpServers.login`).
 * @since 0.2
 */
export type McpServerState = 'disabled' | 'idle' | 'connecting' | 'connected' | 'failed' | 'parked' | 'sign-in'

/**
 * `offered`: models can call it. `excluded`: the filter of the server in config.yaml leaves it out. `changed`: its definition
 * differs from the one that was approved, so it is held back. `suspicious`: it is new, and its texts have hidden characters or
 * give orders to the model, so it is held back, too. `taken`: another tool has its name. `invalid`: its schema cannot be used.
 * @since 0.2
 */
export type McpToolState = 'offered' | 'excluded' | 'changed' | 'suspicious' | 'taken' | 'invalid'

/** A tool of a server, as the server described it last. The texts are the server's own: show them as data. @since 0.2 */
export interface McpTool {
  /** As the server names it. */
  readonly name: string
  /** As the model calls it: `mcp__files__read_text`. */
  readonly toolName: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** What the server says of it; nothing relies on it unless `trust_annotations` is set for the server. */
  readonly annotations: McpToolAnnotations
  readonly state: McpToolState
  /** The approved definition, and the one that waits for approval, as JSON. */
  readonly change?: { readonly before: string; readonly after: string }
}

/** https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations @since 0.2 */
export interface McpToolAnnotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A server of `mcp_servers`, and what is known of it. @since 0.2 */
export interface McpServer {
  readonly name: string
  readonly transport: McpTransport
  /** For people: its command line, or its address; secrets are masked. */
  readonly target: string
  readonly state: McpServerState
  /** Why it is `failed`, `parked` or `sign-in`: a sentence that says what to do. */
  readonly problem?: string
  /** What it offered when it was connected last, perhaps in an earlier process; empty before the first time. */
  readonly tools: readonly McpTool[]
  /** When `tools` was read, in milliseconds since 1970; left out before the first time. */
  readonly listedAt?: number
  /** The process of a connected server of the transport `stdio`. */
  readonly pid?: number
}

/** A template of a message that a server offers to people. @since 0.2 */
export interface McpPrompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

/** Something to read that a server offers. @since 0.2 */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
}

/** All that a server offers, asked of it now. @since 0.2 */
export interface McpOffer {
  /** What the server calls itself, and its version. */
  readonly serverName: string
  readonly serverVersion: string
  /** What the server says about its use; data, like all of its texts. */
  readonly instructions?: string
  readonly tools: readonly McpTool[]
  readonly prompts: readonly McpPrompt[]
  readonly resources: readonly McpResource[]
}

/** @since 0.2 */
export interface McpCallOptions {
  readonly signal: AbortSignal
  /** Milliseconds; left out: the `timeout` of the server. */
  readonly timeoutMs?: number
  /** Called when the server says how far it is. */
  progress?(text: string): void
}

/** How a person signs in. @since 0.2 */
export interface McpSignIn {
  readonly signal: AbortSignal
  /** Shows the address at which the person signs in, or opens it in a browser. */
  show(url: string): void
  /**
   * Asks for the address that the browser was sent to, for a browser on another machine. Left out: only a browser on this
   * machine can complete the sign-in.
   */
  ask?(signal: AbortSignal): Promise<string | undefined>
}

/** Servers that a front end brought for a session. @since 0.2 */
export interface McpAttachment {
  /** Ends those that no other session has. */
  readonly registration: Registration
  /** Those that cannot be used, by the name that was given, and why: sentences. */
  readonly refused: readonly { readonly name: string; readonly problems: readonly string[] }[]
}

/**
 * Provided by the plugin `mcp`. Servers are started when they are first needed. Whatever takes a name throws `MCP_SERVER_UNKNOWN`
 * for one that `mcp_servers` does not have.
 * @since 0.2
 */
export interface McpServers {
  /** All servers of config.yaml by name, what was asked of them earlier included. Starts nothing. */
  list(): readonly McpServer[]
  get(name: string): McpServer | undefined
  /**
   * Starts the server unless it is connected, and reads its tools. Throws `MCP_CONNECT`, `MCP_FILE_NOT_FOUND` (a certificate or
   * a key), `MCP_REFUSED` (its settings are dangerous), `MCP_SIGN_IN`, `MCP_DISABLED` and the reason of the signal.
   */
  connect(name: string, signal: AbortSignal): Promise<McpServer>
  /** Ends the connection and the processes of a server, if there are any; the next call starts it again. */
  disconnect(name: string): Promise<void>
  /** Asks a server for all that it offers, also one that is disabled; one that was not running is ended again. Throws like `connect`. */
  probe(name: string, signal: AbortSignal): Promise<McpOffer>
  /** Calls a tool by the server's name for it, without gates: for what a person asked for. Throws like `connect`. */
  call(
    name: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: McpCallOptions,
  ): Promise<ToolResult>
  /** Reads a resource. Throws like `connect`, and `MCP_CALL` when the server refuses. */
  read(name: string, uri: string, options: McpCallOptions): Promise<ToolResult>
  /** The messages of a prompt as one text. Throws as `read` does. */
  prompt(
    name: string,
    prompt: string,
    input: Readonly<Record<string, string>>,
    options: McpCallOptions,
  ): Promise<string>
  /**
   * Why settings cannot be used, each as a sentence; empty when they can. `settings` is a block of `mcp_servers` as it is written
   * in config.yaml, with `${NAME}` for what `.env` has.
   */
  check(name: string, settings: Readonly<Record<string, unknown>>): readonly string[]
  /**
   * Writes `mcp_servers.<name>` as a whole, after `check`. Throws `MCP_REFUSED` with what `check` found, and what `ConfigFile.write`
   * throws. Secrets belong into `.env`; write `${NAME}` here.
   */
  save(name: string, settings: Readonly<Record<string, unknown>>, by: ChangeReason): Promise<void>
  /** Removes `mcp_servers.<name>`, its tokens, and what was approved of its tools. */
  remove(name: string, by: ChangeReason): Promise<void>
  /** Signs in by OAuth; the tokens are kept in `mcp-tokens/`. Throws `MCP_SIGN_IN` if that fails or the server needs none. */
  login(name: string, signIn: McpSignIn): Promise<void>
  /** Forgets the tokens of a server; false if there were none. */
  logout(name: string): Promise<boolean>
  /**
   * Connects servers for one session, by names, with settings as those of `mcp_servers`; `${NAME}` stands for nothing in them. Their
   * tools are offered to that session alone, and nothing of them is stored. One that config.yaml has is left as it is. Does not wait:
   * a first message waits for them a moment.
   */
  attach(sessionId: string, servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>): McpAttachment
  /** Approves definitions of tools that are held back, all of a server or those named: a person has seen them. Resolves to their names. */
  approve(name: string, tools?: readonly string[]): Promise<readonly string[]>
  /** Ends all connections and asks each enabled server for its tools once more. Failures are in the states. */
  reload(signal: AbortSignal): Promise<readonly McpServer[]>
  /** Calls the listener when a server or its tools changed. */
  onChange(listener: (name: string) => void): Registration
}
export const McpServers: Service<McpServers> = defineService('mcp-servers', { registers: ['onChange'] })

/**
 * A folder of servers that can be installed by name, such as those of a company: `<dir>/<entry>/manifest.yaml`, in the format of
 * `optional-mcps`. That an entry is there means that it is approved. Contributed to `McpCatalogs`.
 * @since 0.2
 */
export interface McpCatalog extends Ordered {
  readonly name: string
  /** Absolute. It is read whenever the catalogue is listed; links in it are not followed. */
  readonly dir: string
}
/** Loaded along with `McpPicker`. Of entries with one name the built-in one is used, then the first. @since 0.2 */
export const McpCatalogs: ExtensionPoint<McpCatalog> = extensionPoint(
  'mcp-catalogs',
  (catalog) => catalog.name,
  undefined,
  { problem: checkMembers({ name: 'string', dir: 'string' }) },
)

/**
 * What `svc mcp` shows: the servers that can be installed, and those that are. Provided by the plugin that reads `McpCatalogs`; load
 * it with `Plugins.bring` when it is needed.
 * @since 0.2
 */
export interface McpPicker {
  /**
   * On a terminal a person chooses until it is left; otherwise all are listed. Resolves to the exit code. Throws what the writer
   * of config.yaml throws, and the reason of the signal of `io`.
   */
  pick(io: CliContext): Promise<number>
  /** The folder that the installation of a server made; undefined if it made no folder. */
  findInstalled(name: string): string | undefined
  /** Removes that folder. `svc mcp install` makes it again. */
  removeInstalled(name: string): void
}
/** @since 0.2 */
export const McpPicker: Service<McpPicker> = defineService('mcp-picker')
