/** `svc tools list`: what is on, what is off and why, and what is missing. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import type { ToolsetStatus } from 'svc/sdk/host'
import { getToolsets, readSurface } from './names.ts'

/** Prints the toolsets of a surface, `cli` unless one is named. */
export async function list(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const surface = (await readSurface(ctx, input)) ?? 'cli'
  const toolsets = getToolsets(ctx)
  const states = toolsets.list(surface)
  if (input.options['json'] === true) io.out(`${JSON.stringify({ surface, toolsets: states }, undefined, 2)}\n`)
  else for (const state of states) io.out(`${toolsetLine(state)}\n`)
  for (const name of toolsets.unknown())
    io.err(`Warning: config.yaml names "${name}" under tools, but no loaded plugin brings it.\n`)
  return 0
}

/** `+ file      tool_a, tool_b`: off is `-`, a tool that differs or misses something says so. */
export function toolsetLine({ name, on, because, tools }: ToolsetStatus): string {
  const names = tools.map((tool) => {
    const remarks = [...(on && !tool.on ? ['off'] : []), ...(tool.missing === undefined ? [] : [tool.missing])]
    return remarks.length > 0 ? `${tool.name} (${remarks.join('; ')})` : tool.name
  })
  const why = because === undefined ? '' : `  [${because}]`
  return `${on ? '+' : '-'} ${name.padEnd(16)} ${names.join(', ')}${why}`
}
