import type { McpContent, McpExportPrompt, McpMessage } from 'svc/sdk/mcp'
import { PICTURE } from './media.ts'

const user = (content: McpContent): McpMessage => ({ role: 'user', content })
const text = (words: string) => user({ type: 'text', text: words })

export const prompts: readonly McpExportPrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'A text.',
    messages: () => [text('This is a simple prompt for testing.')],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A text with arguments.',
    arguments: [
      {
        name: 'arg1',
        required: true,
        complete: (value) => ['testing', 'tested'].filter((each) => each.startsWith(value)),
      },
      { name: 'arg2', required: true },
    ],
    messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource.',
    arguments: [{ name: 'resourceUri', required: true }],
    messages: ({ resourceUri = '' }) => [
      user({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded.' } }),
      text('Please process the embedded resource above.'),
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A picture.',
    messages: () => [
      user({ type: 'image', data: PICTURE, mimeType: 'image/png' }),
      text('Please analyze the image above.'),
    ],
  },
]
