/** What clients may call: tools of this server's own, and tools of svc that the user chose. */
import { errorMessage, logFault, type PluginContext, type Schema, SvcError, Tools } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { chatTool } from './chat.ts'
import type { Config } from './config.ts'
import {
  type CallContext,
  type OwnTool,
  type ServedResult,
  type ToolDirectory,
  type ToolInfo,
  toResult,
} from './served.ts'
import { sessionTools } from './session-tools.ts'
import { skillTools } from './skill-tools.ts'
import { ToolRunner } from './tool-runner.ts'

export class ServedTools implements ToolDirectory {
  readonly #ctx: PluginContext<Config>
  readonly #own: ReadonlyMap<string, OwnTool>
  readonly #runner: ToolRunner
  readonly #running = new Set<Promise<unknown>>()

  constructor(ctx: PluginContext<Config>, cwd: string) {
    this.#ctx = ctx
    this.#runner = new ToolRunner(ctx, cwd)
    const own = [chatTool(ctx, cwd), ...sessionTools(ctx), ...skillTools(ctx, cwd)]
    this.#own = new Map(own.map((tool) => [tool.name, tool]))
  }

  async list(): Promise<readonly ToolInfo[]> {
    const own = [...this.#own.values()].map(({ input, name, description, annotations }) => ({
      name,
      description,
      inputSchema: toJsonSchema(input),
      ...(annotations && { annotations }),
    }))
    const chosen = this.#chosen().flatMap((name) => {
      const tool = this.#ctx.all(Tools).get(name)
      if (!tool || tool.missing?.() !== undefined) return []
      const annotations = { readOnlyHint: tool.effect === 'pure', openWorldHint: tool.reach === 'network' }
      return [{ name, description: tool.description, inputSchema: toJsonSchema(tool.input), annotations }]
    })
    return [...own, ...chosen]
  }

  /** Resolves when no call is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Undefined: there is no such tool. Does not reject for what goes wrong in it. */
  call(name: string, input: unknown, call: CallContext): Promise<ServedResult | undefined> {
    const work = this.#call(name, input, call).finally(() => this.#running.delete(work))
    this.#running.add(work)
    return work
  }

  async #call(name: string, input: unknown, call: CallContext): Promise<ServedResult | undefined> {
    const own = this.#own.get(name)
    if (!own && !(await this.list()).some((tool) => tool.name === name)) return undefined
    try {
      if (!own) return await this.#runner.run(name, input, call)
      const parsed = await own.input['~standard'].validate(input)
      if (!parsed.issues) return await own.run(parsed.value, call)
      const [issue] = parsed.issues
      const text = `The arguments of ${name} are not valid: ${(issue && formatIssuePath(issue)) || 'arguments'}: ${issue?.message}`
      throw new SvcError('MCP_SERVE_TOOL', text, { status: 400 })
    } catch (error) {
      logFault(this.#ctx.log, `the tool ${name} failed for a client`, error)
      const text = error instanceof SvcError ? errorMessage(error) : 'The tool failed; the log of svc says why.'
      return { ...toResult(text), isError: true }
    }
  }

  /** Names of own tools stay with them. */
  #chosen(): readonly string[] {
    return [...new Set(this.#ctx.config.tools)].filter((name) => !this.#own.has(name))
  }
}

function toJsonSchema(schema: Schema<unknown>): Record<string, unknown> {
  return { type: 'object', ...schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) }
}
