/**
 * Services with an OpenAI-compatible API, as data. Addresses and variables are those of the vendors' own public pages;
 * a key is only ever sent to the `hosts` of its entry. `npm run docs` writes the entry's variables, names and aliases into
 * plugin.json and the README.
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
  /** Other words for it in `model.provider`. */
  readonly aliases?: readonly string[]
  /** Where a person gets a key. */
  readonly page: string
  /** Undefined: every customer has a different address, in `providers.<id>.base_url`. */
  readonly address?: string
  /** The variable that may hold another address. */
  readonly addressName?: string
  /** At its own hosts it is asked by the Responses API. */
  readonly wire?: 'responses'
  /** Hosts that may have the key, with all below them. */
  readonly hosts: readonly string[]
  /** The key's header; left out: `authorization: Bearer`. */
  readonly keyHeader?: string
  /** Added to an address that has no path; `{model}` stands for the model. With an `api-version`, the second one. */
  readonly usualPath?: string
  readonly versionedPath?: string
  /** The `config_version` that introduced its variables; left out: 1. */
  readonly since?: number
}

/** Hosts that are asked by the Responses API unless the user says otherwise. */
export function prefersResponses(hostname: string): boolean {
  return vendors.some(({ wire, hosts }) => wire === 'responses' && hosts.includes(hostname))
}

const usual = { kind: 'hosted', limitField: 'max_tokens' } as const
const renamed = { kind: 'hosted', limitField: 'max_completion_tokens' } as const

/** In the order in which people see them. */
export const vendors: readonly HostedEntry[] = [
  {
    ...renamed,
    id: 'openai',
    formats: 'beside-tools',
    label: 'OpenAI',
    aliases: ['openai-api'],
    page: 'https://platform.openai.com/api-keys',
    keyName: 'OPENAI_API_KEY',
    address: 'https://api.openai.com/v1',
    addressName: 'OPENAI_BASE_URL',
    hosts: ['api.openai.com'],
    wire: 'responses',
    cacheKey: true,
    reasoning: 'effort',
  },
  {
    ...usual,
    id: 'openrouter',
    formats: 'beside-tools',
    label: 'OpenRouter',
    page: 'https://openrouter.ai/settings/keys',
    keyName: 'OPENROUTER_API_KEY',
    address: 'https://openrouter.ai/api/v1',
    addressName: 'OPENROUTER_BASE_URL',
    hosts: ['openrouter.ai'],
    reasoning: 'effort-in-object',
    keepsDetails: true,
    cost: { field: 'cost', perUsd: 1 },
  },
  {
    ...renamed,
    id: 'azure-openai',
    formats: 'beside-tools',
    label: 'Azure OpenAI',
    aliases: ['azure', 'azure-foundry'],
    page: 'https://ai.azure.com',
    keyName: 'AZURE_OPENAI_API_KEY',
    addressName: 'AZURE_OPENAI_ENDPOINT',
    hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'],
    keyHeader: 'api-key',
    usualPath: '/openai/v1',
    versionedPath: '/openai/deployments/{model}',
    cacheKey: true,
    reasoning: 'effort',
  },
  {
    ...usual,
    id: 'deepseek',
    formats: 'json',
    label: 'DeepSeek',
    page: 'https://platform.deepseek.com/api_keys',
    keyName: 'DEEPSEEK_API_KEY',
    address: 'https://api.deepseek.com/v1',
    addressName: 'DEEPSEEK_BASE_URL',
    hosts: ['api.deepseek.com'],
    reasoningField: 'reasoning_content',
    reasoning: 'thinking',
  },
  {
    ...renamed,
    id: 'groq',
    label: 'Groq',
    page: 'https://console.groq.com/keys',
    keyName: 'GROQ_API_KEY',
    address: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    ...usual,
    id: 'mistral',
    label: 'Mistral',
    page: 'https://console.mistral.ai/api-keys',
    keyName: 'MISTRAL_API_KEY',
    address: 'https://api.mistral.ai/v1',
    hosts: ['mistral.ai'],
    usageUnasked: true,
    callIdLength: 9,
    reasoning: 'effort',
    efforts: ['none', 'high'],
  },
  {
    ...renamed,
    id: 'xai',
    formats: 'beside-tools',
    label: 'xAI',
    aliases: ['grok', 'x-ai'],
    page: 'https://console.x.ai',
    keyName: 'XAI_API_KEY',
    address: 'https://api.x.ai/v1',
    addressName: 'XAI_BASE_URL',
    hosts: ['api.x.ai'],
    wire: 'responses',
    cacheKey: true,
    plainResults: true,
    withoutSummaries: true,
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
    cost: { field: 'cost_in_usd_ticks', perUsd: 1e10 },
  },
  {
    ...usual,
    id: 'together',
    label: 'Together AI',
    aliases: ['togetherai', 'together-ai'],
    page: 'https://api.together.ai/settings/api-keys',
    keyName: 'TOGETHER_API_KEY',
    address: 'https://api.together.xyz/v1',
    hosts: ['api.together.xyz', 'api.together.ai'],
    reasoning: 'effort',
    efforts: ['low', 'medium', 'high'],
  },
  {
    ...usual,
    id: 'fireworks',
    label: 'Fireworks AI',
    aliases: ['fireworks-ai'],
    page: 'https://app.fireworks.ai/settings/users/api-keys',
    keyName: 'FIREWORKS_API_KEY',
    address: 'https://api.fireworks.ai/inference/v1',
    hosts: ['api.fireworks.ai'],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    ...usual,
    id: 'moonshot',
    formats: 'json',
    label: 'Kimi (Moonshot AI)',
    aliases: ['kimi', 'moonshotai'],
    page: 'https://platform.moonshot.ai/console/api-keys',
    keyName: 'KIMI_API_KEY',
    otherKeyNames: ['MOONSHOT_API_KEY'],
    address: 'https://api.moonshot.ai/v1',
    addressName: 'KIMI_BASE_URL',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    reasoningField: 'reasoning_content',
    cacheKey: true,
    reasoning: 'thinking',
  },
  {
    ...usual,
    id: 'moonshot-cn',
    formats: 'json',
    label: 'Kimi (Moonshot AI, China)',
    aliases: ['kimi-cn', 'kimi-coding-cn'],
    page: 'https://platform.moonshot.cn/console/api-keys',
    keyName: 'KIMI_CN_API_KEY',
    address: 'https://api.moonshot.cn/v1',
    hosts: ['api.moonshot.cn'],
    reasoningField: 'reasoning_content',
    cacheKey: true,
    reasoning: 'thinking',
  },
  {
    ...usual,
    id: 'zai',
    formats: 'json',
    label: 'Z.AI (GLM)',
    aliases: ['z-ai', 'z.ai', 'glm', 'zhipu'],
    page: 'https://z.ai/manage-apikey/apikey-list',
    keyName: 'GLM_API_KEY',
    otherKeyNames: ['ZAI_API_KEY', 'Z_AI_API_KEY'],
    address: 'https://api.z.ai/api/paas/v4',
    addressName: 'GLM_BASE_URL',
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    reasoningField: 'reasoning_content',
    reasoning: 'thinking',
  },
  {
    ...usual,
    id: 'qwen',
    formats: 'json',
    label: 'Qwen (Alibaba Cloud)',
    aliases: ['alibaba', 'dashscope'],
    page: 'https://bailian.console.alibabacloud.com',
    keyName: 'DASHSCOPE_API_KEY',
    address: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    addressName: 'DASHSCOPE_BASE_URL',
    hosts: ['dashscope-intl.aliyuncs.com', 'dashscope.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
    reasoning: 'enable-thinking',
  },
  {
    ...usual,
    id: 'nvidia',
    label: 'NVIDIA NIM',
    aliases: ['nim'],
    page: 'https://build.nvidia.com/settings/api-keys',
    keyName: 'NVIDIA_API_KEY',
    address: 'https://integrate.api.nvidia.com/v1',
    addressName: 'NVIDIA_BASE_URL',
    hosts: ['integrate.api.nvidia.com'],
  },
  {
    ...usual,
    id: 'huggingface',
    label: 'Hugging Face',
    aliases: ['hf'],
    page: 'https://huggingface.co/settings/tokens',
    keyName: 'HF_TOKEN',
    address: 'https://router.huggingface.co/v1',
    addressName: 'HF_BASE_URL',
    hosts: ['huggingface.co', 'endpoints.huggingface.cloud'],
  },
  {
    ...usual,
    id: 'deepinfra',
    label: 'DeepInfra',
    page: 'https://deepinfra.com/dash/api_keys',
    keyName: 'DEEPINFRA_API_KEY',
    address: 'https://api.deepinfra.com/v1/openai',
    addressName: 'DEEPINFRA_BASE_URL',
    hosts: ['api.deepinfra.com'],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
    cost: { field: 'estimated_cost', perUsd: 1 },
  },
  {
    ...usual,
    id: 'novita',
    label: 'Novita AI',
    aliases: ['novita-ai', 'novitaai'],
    page: 'https://novita.ai/settings/key-management',
    keyName: 'NOVITA_API_KEY',
    address: 'https://api.novita.ai/openai/v1',
    addressName: 'NOVITA_BASE_URL',
    hosts: ['api.novita.ai'],
    reasoning: 'enable-thinking',
  },
]
