/** What this server has of its own: the agent, its sessions, its skills, and tools of svc that the user chose. */
import { type PluginContext, type Tool, Tools } from 'svc/sdk'
import type { McpExport, McpExportTool } from 'svc/sdk/mcp'
import { chatTool } from './chat.ts'
import type { Config } from './config.ts'
import { listTools } from './rights.ts'
import { sessionResources } from './session-resources.ts'
import { sessionTools } from './session-tools.ts'
import { skillPrompts } from './skill-prompts.ts'
import { skillResources } from './skill-resources.ts'
import { skillTools } from './skill-tools.ts'
import { ToolRunner } from './tool-runner.ts'

export function listOwnExports(ctx: PluginContext<Config>): McpExport[] {
  return [
    {
      name: 'svc-sessions',
      tools: () => [chatTool(ctx), ...sessionTools(ctx)],
      resources: sessionResources(ctx),
    },
    {
      name: 'svc-skills',
      tools: () => skillTools(ctx),
      prompts: (client) => skillPrompts(ctx, client),
      resources: skillResources(ctx),
    },
    chosenTools(ctx),
  ]
}

function chosenTools(ctx: PluginContext<Config>): McpExport {
  const runner = new ToolRunner(ctx)
  return {
    name: 'svc-tools',
    tools: (client) =>
      [...new Set(listTools(ctx, client))].flatMap((name) => {
        const tool = ctx.all(Tools).get(name)
        return !tool || tool.missing?.() !== undefined ? [] : [toExport(tool, runner)]
      }),
  }
}

function toExport({ name, description, input, effect, reach }: Tool, runner: ToolRunner): McpExportTool {
  return {
    name,
    description,
    // Its turn parses the input.
    input: { '~standard': { ...input['~standard'], validate: (value: unknown) => ({ value }) } },
    annotations: { readOnlyHint: effect === 'pure', openWorldHint: reach === 'network' },
    run: (given, call) => runner.run(name, given, call),
  }
}
