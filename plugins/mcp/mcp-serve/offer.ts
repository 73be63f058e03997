/** All that clients are offered: what this server has of its own, then what plugins export. */
import { errorMessage, logFault, type PluginContext, type Schema, SvcError } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import {
  type McpClient,
  type McpClientCall,
  type McpExport,
  type McpExportPrompt,
  type McpExportResource,
  type McpExportResult,
  McpExports,
  type McpExportTool,
  type McpResourceContent,
  type McpResourceTemplate,
} from 'svc/sdk/mcp'
import type { Config } from './config.ts'
import { type Offer, type Page, type ToolInfo, toResult } from './served.ts'

/** Resources of one page. */
const PAGE = 100
const TOOL_NAME = /^[\w.-]{1,128}$/

export class ServedOffer implements Offer {
  readonly #ctx: PluginContext<Config>
  readonly #own: readonly McpExport[]
  readonly #running = new Set<Promise<unknown>>()

  constructor(ctx: PluginContext<Config>, own: readonly McpExport[]) {
    this.#ctx = ctx
    this.#own = own
  }

  async tools(client: McpClient, signal: AbortSignal): Promise<readonly ToolInfo[]> {
    return (await this.#tools(client, signal)).map(({ name, description, input, annotations }) => ({
      name,
      description,
      inputSchema: toJsonSchema(input),
      ...(annotations && { annotations }),
    }))
  }

  /** Resolves when no call is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  call(name: string, input: unknown, call: McpClientCall): Promise<McpExportResult | undefined> {
    const work = this.#call(name, input, call).finally(() => this.#running.delete(work))
    this.#running.add(work)
    return work
  }

  prompts(client: McpClient, signal: AbortSignal): Promise<readonly McpExportPrompt[]> {
    return this.#collect('prompts', (each) => each.prompts?.(client, signal))
  }

  /** A cursor names an export and how many of its resources were told. */
  async resources(
    client: McpClient,
    { cursor, signal }: { readonly cursor?: string | undefined; readonly signal: AbortSignal },
  ): Promise<Page<McpExportResource> | undefined> {
    const exports = this.#exports().filter(({ resources }) => resources !== undefined)
    const [, from, told = '0'] = /^(.*):(\d{1,9})$/s.exec(cursor ?? '') ?? []
    let at = from === undefined ? 0 : exports.findIndex(({ name }) => name === from)
    if (at < 0 || (cursor !== undefined && from === undefined)) return undefined
    const items: McpExportResource[] = []
    let offset = Number(told)
    for (; at < exports.length; at++, offset = 0) {
      const limit = PAGE - items.length
      const found = await this.#list(exports[at], client, { offset, limit, signal })
      items.push(...found.slice(0, limit))
      if (found.length >= limit) return { items, next: `${exports[at]?.name}:${offset + limit}` }
    }
    return { items }
  }

  templates(): readonly McpResourceTemplate[] {
    return this.#exports().flatMap(({ resources }) => resources?.templates ?? [])
  }

  async read(uri: string, call: McpClientCall): Promise<readonly McpResourceContent[] | undefined> {
    for (const { resources } of this.#exports()) {
      const found = await resources?.read(uri, call)
      if (found) return found
    }
    return undefined
  }

  watch(uri: string, client: McpClient, changed: () => void): (() => void | Promise<void>) | undefined {
    for (const { resources } of this.#exports()) {
      const ended = resources?.watch?.(uri, client, changed)
      if (ended) return ended
    }
    return undefined
  }

  explain(what: string, error: unknown): string {
    logFault(this.#ctx.log, `${what} failed for a client`, error)
    return error instanceof SvcError ? errorMessage(error) : 'It failed; the log of svc says why.'
  }

  async #call(name: string, input: unknown, call: McpClientCall): Promise<McpExportResult | undefined> {
    const tool = (await this.#tools(call.client, call.signal)).find((each) => each.name === name)
    if (!tool) return undefined
    try {
      const parsed = await tool.input['~standard'].validate(input)
      if (!parsed.issues) {
        const result = await tool.run(parsed.value, call)
        return typeof result === 'string' ? toResult(result) : result
      }
      const [issue] = parsed.issues
      const text = `The arguments of ${name} are not valid: ${(issue && formatIssuePath(issue)) || 'arguments'}: ${issue?.message}`
      throw new SvcError('MCP_SERVE_TOOL', text, { status: 400 })
    } catch (error) {
      return { ...toResult(this.explain(`the tool ${name}`, error)), isError: true }
    }
  }

  async #tools(client: McpClient, signal: AbortSignal): Promise<readonly McpExportTool[]> {
    const all = await this.#collect('tools', (each) => each.tools?.(client, signal))
    return all.filter(({ name }) => TOOL_NAME.test(name))
  }

  /** Of several with one name the first is offered. */
  async #collect<Item extends { readonly name: string }>(
    kind: string,
    list: (each: McpExport) => Promise<readonly Item[]> | readonly Item[] | undefined,
  ): Promise<readonly Item[]> {
    const found = new Map<string, Item>()
    for (const each of this.#exports())
      for (const item of await this.#guard(kind, each, () => list(each) ?? []))
        if (!found.has(item.name)) found.set(item.name, item)
    return [...found.values()]
  }

  async #list(
    each: McpExport | undefined,
    client: McpClient,
    page: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly McpExportResource[]> {
    if (!each?.resources) return []
    const { resources } = each
    return this.#guard('resources', each, () => resources.list(client, page))
  }

  async #guard<T>(
    kind: string,
    { name }: McpExport,
    list: () => Promise<readonly T[]> | readonly T[],
  ): Promise<readonly T[]> {
    try {
      return await list()
    } catch (error) {
      const owner = this.#ctx.all(McpExports).owner(name)
      logFault(this.#ctx.log, `the ${kind} of ${name} could not be listed for a client`, error, owner)
      return []
    }
  }

  #exports(): readonly McpExport[] {
    const names = new Set(this.#own.map(({ name }) => name))
    const others = this.#ctx.all(McpExports).all()
    return [...this.#own, ...others.filter(({ name }) => !names.has(name))]
  }
}

function toJsonSchema(schema: Schema<unknown>): Readonly<Record<string, unknown>> {
  return { type: 'object', ...schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) }
}
