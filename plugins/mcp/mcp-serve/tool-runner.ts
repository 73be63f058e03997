/**
 * Runs a tool of svc for a client, with everything that a call of a model passes: gates, approvals, checkpoints, the journal. The call
 * is made by a turn whose model is a script that asks for this one call.
 */
import { type PluginContext, Random, SvcError } from 'svc/sdk'
import type { McpClientCall, McpContent, McpExportResult } from 'svc/sdk/mcp'
import { type ModelEvent, type ModelProvider, type ModelRequest, Providers } from 'svc/sdk/provider'
import { stripUntrustedMark } from 'svc/sdk/safety'
import type { Config } from './config.ts'
import { runTurn } from './run-turn.ts'

const PROVIDER = 'mcp-clients'

interface WantedCall {
  readonly name: string
  readonly input: unknown
}

export class ToolRunner {
  readonly #ctx: PluginContext<Config>
  /** By the name of the model that asks for it. */
  readonly #wanted = new Map<string, WantedCall>()
  #isOffered = false

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
  }

  /** Throws `MCP_SERVE_TURN` when the tool was not reached. */
  async run(name: string, input: unknown, call: McpClientCall): Promise<McpExportResult> {
    this.#offer()
    const model = this.#ctx.use(Random).uuid()
    this.#wanted.set(model, { name, input })
    try {
      const order = {
        text: `A client calls the tool ${name}.`,
        cwd: call.client.cwd,
        settings: { provider: PROVIDER, model, toolsets: [name] },
        temporary: true,
      }
      const { front } = await runTurn(this.#ctx, order, call)
      const result = front.results.find((each) => each.name === name) ?? front.results[0]
      if (!result) throw new SvcError('MCP_SERVE_TURN', front.error ?? 'The tool was not run.')
      const text: McpContent[] = result.text === '' ? [] : [{ type: 'text', text: stripUntrustedMark(result.text) }]
      const images = (result.images ?? []).map(({ data, mediaType }) => ({
        type: 'image' as const,
        data,
        mimeType: mediaType,
      }))
      return { content: [...text, ...images], ...(!result.ok && { isError: true }) }
    } finally {
      this.#wanted.delete(model)
    }
  }

  /** Once there is a call: other processes do not have the provider. */
  #offer(): void {
    if (this.#isOffered) return
    this.#isOffered = true
    const provider: ModelProvider = {
      name: PROVIDER,
      label: 'Calls of MCP clients',
      status: async () => ({ ready: true, detail: 'It runs calls of MCP clients.' }),
      models: async () => [],
      stream: (request) => this.#stream(request),
    }
    this.#ctx.add(Providers, provider)
  }

  async *#stream({ model, messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const wanted = this.#wanted.get(model)
    const isDone = messages.at(-1)?.role === 'tool'
    if (!wanted || isDone) {
      yield { type: 'text', text: 'Done.' }
      yield { type: 'usage', usage: { input: 0, output: 0, costUsd: 0 } }
      return yield { type: 'end', reason: 'stop' }
    }
    yield { type: 'tool-call', call: { id: 'call', ...wanted } }
    yield { type: 'usage', usage: { input: 0, output: 0, costUsd: 0 } }
    yield { type: 'end', reason: 'tool-calls' }
  }
}
