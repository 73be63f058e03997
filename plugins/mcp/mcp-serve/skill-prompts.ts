/** Each skill as a prompt: its text, and what is to be done with it. */
import { type PluginContext, SvcError } from 'svc/sdk'
import type { McpClient, McpExportPrompt, McpMessage } from 'svc/sdk/mcp'
import { Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import { listSkills, toQuery } from './skill-query.ts'

export async function skillPrompts(ctx: PluginContext<Config>, client: McpClient): Promise<McpExportPrompt[]> {
  const skills = await listSkills(ctx, client)
  return skills.map(({ name, description }) => ({
    name,
    description,
    arguments: [
      { name: 'task', description: 'What to do with the skill.' },
      {
        name: 'file',
        description: 'Another file of the skill to add, such as references/api.md.',
        complete: (value) => completeFile(ctx, client, { name, value }),
      },
    ],
    messages: async ({ task = '', file }) => {
      const query = toQuery(client)
      const loaded = await ctx.use(Skills).load([name], query)
      if (loaded.loaded.length === 0) throw new SvcError('MCP_SERVE_PROMPT', `There is no skill "${name}".`)
      const extra = file ? (await ctx.use(Skills).read(name, { ...query, path: file })).text : ''
      const texts = [loaded.text, extra, task].filter((text) => text !== '')
      return texts.map((text): McpMessage => ({ role: 'user', content: { type: 'text', text } }))
    },
  }))
}

/** Paths of files of a skill that begin with `value`. */
export async function completeFile(
  ctx: PluginContext<Config>,
  client: McpClient,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<readonly string[]> {
  const read = await ctx.find(Skills)?.read(name, toQuery(client))
  return (read?.files ?? []).map(({ path }) => path).filter((path) => path.startsWith(value))
}
