/** What the rest of the plugin knows of a connection: plain data, so that the library of the protocol is loaded late. */

/** A block of a result: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name?: string; readonly description?: string }
  | {
      readonly type: 'resource'
      readonly resource: {
        readonly uri: string
        readonly mimeType?: string
        readonly text?: string
        readonly blob?: string
      }
    }

export interface CallResult {
  readonly content?: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** A tool as a server describes it. */
export interface OfferedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
}

export interface Offer {
  readonly tools: readonly OfferedTool[]
  readonly prompts: readonly {
    readonly name: string
    readonly description?: string
    readonly arguments?: readonly {
      readonly name: string
      readonly description?: string
      readonly required?: boolean
    }[]
  }[]
  readonly resources: readonly {
    readonly uri: string
    readonly name: string
    readonly description?: string
    readonly mimeType?: string
  }[]
}

/** https://modelcontextprotocol.io/specification/2025-06-18/client/sampling */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[]
  readonly systemPrompt?: string
  readonly maxTokens?: number
  readonly temperature?: number
}

export interface SampleAnswer {
  readonly role: 'assistant'
  readonly model: string
  readonly content: { readonly type: 'text'; readonly text: string }
  readonly stopReason?: string
}

/** https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation */
export interface ElicitQuestion {
  readonly mode?: 'form' | 'url'
  readonly message: string
  readonly url?: string
  readonly requestedSchema?: {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

/** `earlier`: arguments that have a value. */
export interface CompletionRequest {
  readonly prompt: string
  readonly argument: { readonly name: string; readonly value: string }
  readonly earlier: Readonly<Record<string, string>>
}

interface PeerOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** An open connection. Methods throw `MCP_CALL`, `MCP_SIGN_IN`, `MCP_TOO_LARGE` and the reason of the signal. */
export interface ServerPeer {
  readonly pid: number | undefined
  readonly about: { readonly name: string; readonly version: string; readonly instructions?: string }
  /** `subscriptions`: changes of single resources can be followed. */
  has(what: 'tools' | 'prompts' | 'resources' | 'completions' | 'subscriptions'): boolean
  offer(signal: AbortSignal): Promise<Offer>
  tools(signal: AbortSignal): Promise<Offer['tools']>
  prompts(signal: AbortSignal): Promise<Offer['prompts']>
  /** Values for an argument of a prompt: https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/completion */
  complete(request: CompletionRequest, options: PeerOptions): Promise<readonly string[]>
  call(tool: string, input: object, options: PeerOptions & { progress?(text: string): void }): Promise<CallResult>
  read(uri: string, options: PeerOptions): Promise<CallResult>
  /** https://modelcontextprotocol.io/specification/2025-06-18/server/resources#subscriptions */
  subscribe(uri: string, options: PeerOptions): Promise<void>
  unsubscribe(uri: string, options: PeerOptions): Promise<void>
  prompt(
    name: string,
    input: Readonly<Record<string, string>>,
    options: PeerOptions,
  ): Promise<readonly { readonly role: string; readonly content: ContentBlock }[]>
  ping(signal: AbortSignal): Promise<void>
  rootsChanged(): Promise<void>
  close(): Promise<void>
}
