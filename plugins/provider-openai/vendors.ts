/**
 * Services with an OpenAI-compatible API, as data. Addresses and variables are those of the vendors' own public pages;
 * a key is only ever sent to the `hosts` of its entry.
 */
import type { Dialect } from './wire.ts'

/** One service that wants a key. */
export interface HostedEntry extends Dialect {
  readonly kind: 'hosted'
  /** The id in `model.provider`. */
  readonly id: string
  readonly label: string
  /** The variable whose value is sent to this service, and others that people may have set instead. */
  readonly keyName: string
  readonly otherKeyNames?: readonly string[]
  /** Undefined: every customer has an address of their own, in `providers.<id>.base_url`. */
  readonly address?: string
  /** Hosts that may have the key, with all below them. */
  readonly hosts: readonly string[]
  /** The key's header; left out: `authorization: Bearer`. */
  readonly keyHeader?: string
  /** Added to an address that has no path. */
  readonly usualPath?: string
}

const usual = { kind: 'hosted', limitField: 'max_tokens' } as const
const renamed = { kind: 'hosted', limitField: 'max_completion_tokens' } as const

/** In the order in which people see them. */
export const vendors: readonly HostedEntry[] = [
  {
    ...renamed,
    id: 'openai',
    label: 'OpenAI',
    keyName: 'OPENAI_API_KEY',
    address: 'https://api.openai.com/v1',
    hosts: ['api.openai.com'],
  },
  {
    ...usual,
    id: 'openrouter',
    label: 'OpenRouter',
    keyName: 'OPENROUTER_API_KEY',
    address: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
  },
  {
    ...renamed,
    id: 'azure-openai',
    label: 'Azure OpenAI',
    keyName: 'AZURE_OPENAI_API_KEY',
    hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'],
    keyHeader: 'api-key',
    usualPath: '/openai/v1',
  },
  {
    ...usual,
    id: 'deepseek',
    label: 'DeepSeek',
    keyName: 'DEEPSEEK_API_KEY',
    address: 'https://api.deepseek.com/v1',
    hosts: ['api.deepseek.com'],
    reasoningField: 'reasoning_content',
  },
  {
    ...renamed,
    id: 'groq',
    label: 'Groq',
    keyName: 'GROQ_API_KEY',
    address: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
  },
  {
    ...usual,
    id: 'mistral',
    label: 'Mistral',
    keyName: 'MISTRAL_API_KEY',
    address: 'https://api.mistral.ai/v1',
    hosts: ['mistral.ai'],
    usageUnasked: true,
    callIdLength: 9,
  },
  {
    ...renamed,
    id: 'xai',
    label: 'xAI',
    keyName: 'XAI_API_KEY',
    address: 'https://api.x.ai/v1',
    hosts: ['api.x.ai'],
  },
  {
    ...usual,
    id: 'together',
    label: 'Together AI',
    keyName: 'TOGETHER_API_KEY',
    address: 'https://api.together.xyz/v1',
    hosts: ['api.together.xyz', 'api.together.ai'],
  },
  {
    ...usual,
    id: 'fireworks',
    label: 'Fireworks AI',
    keyName: 'FIREWORKS_API_KEY',
    address: 'https://api.fireworks.ai/inference/v1',
    hosts: ['api.fireworks.ai'],
  },
  {
    ...usual,
    id: 'moonshot',
    label: 'Kimi (Moonshot AI)',
    keyName: 'KIMI_API_KEY',
    otherKeyNames: ['MOONSHOT_API_KEY'],
    address: 'https://api.moonshot.ai/v1',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    reasoningField: 'reasoning_content',
  },
  {
    ...usual,
    id: 'zai',
    label: 'Z.AI (GLM)',
    keyName: 'GLM_API_KEY',
    otherKeyNames: ['ZAI_API_KEY', 'Z_AI_API_KEY'],
    address: 'https://api.z.ai/api/paas/v4',
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
  },
  {
    ...usual,
    id: 'minimax',
    label: 'MiniMax',
    keyName: 'MINIMAX_API_KEY',
    address: 'https://api.minimax.io/v1',
    hosts: ['api.minimax.io', 'api.minimaxi.com'],
  },
  {
    ...usual,
    id: 'qwen',
    label: 'Qwen (Alibaba Cloud)',
    keyName: 'DASHSCOPE_API_KEY',
    address: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    hosts: ['dashscope-intl.aliyuncs.com', 'dashscope.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
  },
  {
    ...usual,
    id: 'nvidia',
    label: 'NVIDIA NIM',
    keyName: 'NVIDIA_API_KEY',
    address: 'https://integrate.api.nvidia.com/v1',
    hosts: ['integrate.api.nvidia.com'],
  },
  {
    ...usual,
    id: 'huggingface',
    label: 'Hugging Face',
    keyName: 'HF_TOKEN',
    address: 'https://router.huggingface.co/v1',
    hosts: ['huggingface.co', 'endpoints.huggingface.cloud'],
  },
  {
    ...usual,
    id: 'deepinfra',
    label: 'DeepInfra',
    keyName: 'DEEPINFRA_API_KEY',
    address: 'https://api.deepinfra.com/v1/openai',
    hosts: ['api.deepinfra.com'],
  },
  {
    ...usual,
    id: 'novita',
    label: 'Novita AI',
    keyName: 'NOVITA_API_KEY',
    address: 'https://api.novita.ai/openai/v1',
    hosts: ['api.novita.ai'],
  },
]
