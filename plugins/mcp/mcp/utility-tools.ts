/** Tools by which the model lists and reads resources of a server, and fills in its prompts. */
import { defineTool, type Schema, type Tool, type ToolContext } from 'svc/sdk'
import { oneLine } from 'svc/sdk/kit/views'
import type { ServerRecord } from './definitions.ts'
import { toToolName, toToolset } from './names.ts'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'
import { type ServerTools, toSchema } from './tools.ts'

type Input = Readonly<Record<string, unknown>>

const NOTHING = toSchema({ properties: {} })
const URI = toSchema({
  properties: { uri: { type: 'string', description: 'As the list names it.' } },
  required: ['uri'],
})
const FOLLOW = toSchema({
  properties: {
    uri: { type: 'string', description: 'As the list names it.' },
    stop: { type: 'boolean', description: 'End the subscription.' },
  },
  required: ['uri'],
})
const PROMPT = toSchema({
  properties: {
    name: { type: 'string', description: 'As the list names it.' },
    arguments: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['name'],
})

/** Those that the server has something for and that the settings allow; a tool of the server itself goes before them. */
export function utilityTools(
  server: Server,
  servers: Servers,
  shared: ServerTools,
  record: ServerRecord,
): readonly Tool[] {
  const { tools } = server.settings
  const made = [
    ...(record.hasResources && tools.resources ? resourceTools(server, servers, shared, record) : []),
    ...(record.hasPrompts && tools.prompts ? promptTools(server, servers, shared) : []),
  ]
  const own = new Set(record.tools.map(({ name }) => toToolName(server.name, name)))
  return made.filter(({ name }) => !own.has(name))
}

function resourceTools(
  server: Server,
  servers: Servers,
  shared: ServerTools,
  { hasSubscriptions }: ServerRecord,
): Tool[] {
  const { name } = server
  return [
    makeTool(shared, {
      ...{ name: 'list_resources', description: `Resources of the MCP server ${name}`, input: NOTHING, isAsked: false },
      run: async (_input, turn) => {
        const { resources } = await servers.offerOf(server, turn.signal)
        const lines = resources.map(({ uri, name: title, description }) =>
          `${uri}: ${title} ${oneLine(description)}`.trim(),
        )
        return lines.join('\n') || 'It has no resources.'
      },
    }),
    makeTool(shared, {
      ...{
        name: 'read_resource',
        description: `Reads a resource of the MCP server ${name}`,
        input: URI,
        isAsked: true,
      },
      run: async (input, turn) => {
        const uri = String(input['uri'])
        const result = await servers.read(name, uri, { signal: turn.signal })
        servers.subscriptions.wasRead(name, uri, turn.sessionId)
        return result
      },
    }),
    ...(hasSubscriptions === true ? [followTool(server, servers, shared)] : []),
  ]
}

function followTool(server: Server, servers: Servers, shared: ServerTools): Tool {
  const { name, settings } = server
  const { subscriptions } = servers
  return makeTool(shared, {
    ...{ name: 'subscribe_resource', input: FOLLOW, isAsked: true },
    description: `Tells you when a resource of the MCP server ${name} changes`,
    run: async (input, turn) => {
      const uri = String(input['uri'])
      const bound = [turn.signal, settings.timeout * 1000] as const
      if (input['stop'] !== true) {
        await subscriptions.follow(server, uri, turn.sessionId, ...bound)
        return 'Subscribed. A note will tell you when it changes.'
      }
      const was = await subscriptions.leave(server, uri, turn.sessionId, ...bound)
      return was ? 'The subscription was ended.' : 'There was no subscription to it.'
    },
  })
}

function promptTools(server: Server, servers: Servers, shared: ServerTools): Tool[] {
  const { name } = server
  return [
    makeTool(shared, {
      ...{ name: 'list_prompts', description: `Prompts of the MCP server ${name}`, input: NOTHING, isAsked: false },
      run: async (_input, turn) => {
        const { prompts } = await servers.offerOf(server, turn.signal)
        const lines = prompts.map(({ name: prompt, description, arguments: fields }) => {
          const names = fields.map((field) => (field.required ? field.name : `[${field.name}]`)).join(' ')
          return `${prompt} ${names}: ${oneLine(description)}`
        })
        return lines.join('\n') || 'It has no prompts.'
      },
    }),
    makeTool(shared, {
      ...{
        name: 'get_prompt',
        description: `Fills in a prompt of the MCP server ${name}`,
        input: PROMPT,
        isAsked: true,
      },
      run: async (input, turn) => {
        const given = Object.entries((input['arguments'] ?? {}) as Record<string, unknown>)
        const fields = Object.fromEntries(given.map(([key, value]) => [key, String(value)]))
        return servers.prompt(name, String(input['name']), fields, { signal: turn.signal })
      },
    }),
  ]
}

interface Utility {
  readonly name: string
  readonly description: string
  readonly input: Schema<Input>
  readonly isAsked: boolean
  run(input: Input, turn: ToolContext): ReturnType<Tool['run']>
}

function makeTool({ name: server, settings, missing, admit }: ServerTools, utility: Utility): Tool {
  const { name, description, input, isAsked, run } = utility
  return defineTool<Input>({
    name: toToolName(server, name),
    ...{ description, input, missing },
    run: (given, turn) => {
      admit(turn)
      return run(given, turn)
    },
    effect: 'pure',
    reach: 'network',
    toolset: toToolset(server),
    untrusted: true,
    acts: (given) =>
      !isAsked || settings.trust_annotations
        ? { writes: [] }
        : {
            writes: [],
            ask: {
              reason: `asks the MCP server ${server} for ${name === 'get_prompt' ? 'a prompt' : 'a resource'}`,
              action: `${server}: ${name} ${JSON.stringify(given)}`,
              subjects: [`mcp:${server}:${name}`],
              covers: `every call of ${name} of the MCP server ${server}`,
            },
          },
    view: { title: ({ input: given }) => oneLine(`${server}: ${name} ${JSON.stringify(given) ?? ''}`) },
  })
}
