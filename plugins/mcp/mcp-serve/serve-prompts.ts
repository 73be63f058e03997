/** Methods of the protocol about prompts, and completion of arguments and addresses. */
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type GetPromptResult,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpExportPrompt } from 'svc/sdk/mcp'
import { cutPage } from './pages.ts'
import type { Connected } from './protocol.ts'

/** Of the protocol. */
const MAX_VALUES = 100

export function addPrompts(connected: Connected): void {
  const { server, offer, client, open } = connected
  server.setRequestHandler(ListPromptsRequestSchema, async ({ params }, { signal }) => {
    const { items, nextCursor } = cutPage(await offer.prompts(client(), signal), params?.cursor)
    const prompts = items.map(({ name, description, arguments: all = [] }) => ({
      name,
      description,
      arguments: all.map(({ complete: _, ...argument }) => argument),
    }))
    return { prompts, ...(nextCursor !== undefined && { nextCursor }) }
  })
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra): Promise<GetPromptResult> => {
    const prompt = await findPrompt(connected, params.name, extra.signal)
    const input = params.arguments ?? {}
    const missing = prompt.arguments?.find(({ name, required }) => required && input[name] === undefined)
    if (missing)
      throw new McpError(ErrorCode.InvalidParams, `The prompt needs the argument "${missing.name.slice(0, 100)}".`)
    const { call, settled } = open(extra)
    const messages = await connected.guard(`the prompt ${prompt.name}`, () => prompt.messages(input, call))
    await settled()
    return { description: prompt.description, messages: structuredClone(messages) as GetPromptResult['messages'] }
  })
  server.setRequestHandler(CompleteRequestSchema, async ({ params }, { signal }) => {
    const { ref, argument, context } = params
    const given = context?.arguments ?? {}
    const values = await connected.guard('a completion', async () =>
      ref.type === 'ref/prompt'
        ? completePrompt(await findPrompt(connected, ref.name, signal), argument, given)
        : completeTemplate(ref.uri, argument, given),
    )
    const completion = {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    }
    return { completion }
  })

  interface Argument {
    readonly name: string
    readonly value: string
  }

  async function completePrompt(
    prompt: McpExportPrompt,
    { name, value }: Argument,
    given: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const found = prompt.arguments?.find((each) => each.name === name)
    if (!found) throw new McpError(ErrorCode.InvalidParams, `The prompt has no argument "${name.slice(0, 100)}".`)
    return (await found.complete?.(value, given, client())) ?? []
  }

  async function completeTemplate(
    uri: string,
    { name, value }: Argument,
    given: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const found = offer.templates().find(({ uriTemplate }) => uriTemplate === uri)
    if (!found) throw new McpError(ErrorCode.InvalidParams, `There is no template "${uri.slice(0, 200)}".`)
    return (await found.complete?.(name, value, given, client())) ?? []
  }
}

async function findPrompt({ offer, client }: Connected, name: string, signal: AbortSignal): Promise<McpExportPrompt> {
  const found = (await offer.prompts(client(), signal)).find((each) => each.name === name)
  if (found) return found
  throw new McpError(ErrorCode.InvalidParams, `There is no prompt "${name.slice(0, 100)}".`)
}
