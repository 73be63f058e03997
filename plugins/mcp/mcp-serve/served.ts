/** The contract between the protocol and what it serves. */
import type {
  McpClient,
  McpClientCall,
  McpExportPrompt,
  McpExportResource,
  McpExportResult,
  McpResourceContent,
  McpResourceTemplate,
  McpToolAnnotations,
} from 'svc/sdk/mcp'

/** A tool as clients see it. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?: McpToolAnnotations
}

/** A part of a list. `next` leads to the next one. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next?: string
}

/** All that clients are offered. Lists do not reject for an export that fails: it is left out, and the log says why. */
export interface Offer {
  tools(client: McpClient, signal: AbortSignal): Promise<readonly ToolInfo[]>
  /** Undefined: there is no such tool. Does not reject for what goes wrong in it. */
  call(name: string, input: unknown, call: McpClientCall): Promise<McpExportResult | undefined>
  prompts(client: McpClient, signal: AbortSignal): Promise<readonly McpExportPrompt[]>
  /** Undefined: the cursor is not one of this list. */
  resources(
    client: McpClient,
    options: { readonly cursor?: string | undefined; readonly signal: AbortSignal },
  ): Promise<Page<McpExportResource> | undefined>
  templates(): readonly McpResourceTemplate[]
  /** Undefined: there is no such resource. Rejects with what the export throws. */
  read(uri: string, call: McpClientCall): Promise<readonly McpResourceContent[] | undefined>
  /** Undefined: there is no such resource, or no plugin says when it changes. */
  watch(uri: string, client: McpClient, changed: () => void): (() => void | Promise<void>) | undefined
  /** The text of an error for a client: only errors that were made for people are passed on word for word. */
  explain(what: string, error: unknown): string
}

/** A result of one text. */
export function toResult(text: string, structuredContent?: Readonly<Record<string, unknown>>): McpExportResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) }
}
