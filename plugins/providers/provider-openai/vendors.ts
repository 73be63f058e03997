/**
 * Services with an OpenAI-compatible API, as data. Addresses and variables are those of the vendors' own public pages;
 * a key is only ever sent to the `hosts` of its entry. `npm run docs` writes the entry's variables, names and aliases into
 * plugin.json and the README.
 */
import type { AuthMethod } from 'svc/sdk/provider'
import type { Dialect } from './wire.ts'

/** Models of a service that are asked in another way than its others. */
export interface ModelWire {
  /** Matches the id of the model. */
  readonly models: RegExp
  readonly wire: 'chat' | 'responses' | 'messages'
  /** Replaces the path of the address. */
  readonly path?: string
}

/** One service of a vendor. */
export interface HostedEntry extends Dialect {
  readonly kind: 'hosted'
  /** The id in `model.provider`. */
  readonly id: string
  readonly label: string
  /** The variable whose value is sent to this service, and others that people may have set instead. */
  readonly keyName?: string
  readonly otherKeyNames?: readonly string[]
  /** How a person signs in; left out: by a key. */
  readonly signIn?: Exclude<AuthMethod['type'], 'api-key' | 'optional-key' | 'none'>
  /** Other words for it in `model.provider`. */
  readonly aliases?: readonly string[]
  /** Where a person gets a key. */
  readonly page?: string
  /** A cheap model of it for side work. */
  readonly sideModel?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The header that names the account of a sign-in. */
  readonly accountHeader?: string
  /** Offered where the service has no list. */
  readonly models?: readonly string[]
  /** The first that matches a model says how it is asked, unless the user does. */
  readonly modelWires?: readonly ModelWire[]
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

/** A service that wants a key. */
export type KeyedEntry = HostedEntry & { readonly keyName: string; readonly page: string }

/** Hosts that are asked by the Responses API unless the user says otherwise. */
export function prefersResponses(hostname: string): boolean {
  return vendors.some(({ wire, hosts }) => wire === 'responses' && hosts.includes(hostname))
}

export const usual = { kind: 'hosted', limitField: 'max_tokens' } as const
export const renamed = { kind: 'hosted', limitField: 'max_completion_tokens' } as const

/** In the order in which people see them. */
export const vendors: readonly KeyedEntry[] = [
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
    tiers: ['priority', 'flex', 'default'],
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
    tiers: ['priority', 'flex', 'default'],
  },
  {
    ...renamed,
    id: 'azure-openai',
    formats: 'beside-tools',
    label: 'Azure OpenAI',
    aliases: ['azure'],
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
    sideModel: 'deepseek-chat',
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
    sideModel: 'accounts/fireworks/models/glm-5p2',
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
    sideModel: 'kimi-k2-turbo-preview',
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
    sideModel: 'glm-4.5-flash',
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
    sideModel: 'deepseek-ai/DeepSeek-V4-Flash',
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
    sideModel: 'deepseek/deepseek-v3-0324',
    label: 'Novita AI',
    aliases: ['novita-ai', 'novitaai'],
    page: 'https://novita.ai/settings/key-management',
    keyName: 'NOVITA_API_KEY',
    address: 'https://api.novita.ai/openai/v1',
    addressName: 'NOVITA_BASE_URL',
    hosts: ['api.novita.ai'],
    reasoning: 'enable-thinking',
  },
  {
    ...usual,
    id: 'alibaba-coding-plan',
    formats: 'json',
    label: 'Qwen coding plan (Alibaba Cloud)',
    aliases: ['alibaba-coding', 'qwen-coding-plan'],
    page: 'https://modelstudio.console.alibabacloud.com',
    keyName: 'ALIBABA_CODING_PLAN_API_KEY',
    otherKeyNames: ['DASHSCOPE_API_KEY'],
    address: 'https://coding-intl.dashscope.aliyuncs.com/v1',
    addressName: 'ALIBABA_CODING_PLAN_BASE_URL',
    hosts: ['coding-intl.dashscope.aliyuncs.com', 'coding.dashscope.aliyuncs.com'],
    reasoning: 'enable-thinking',
  },
  {
    ...usual,
    id: 'xiaomi',
    formats: 'json',
    label: 'Xiaomi MiMo',
    aliases: ['mimo', 'xiaomi-mimo'],
    page: 'https://platform.xiaomimimo.com',
    keyName: 'XIAOMI_API_KEY',
    address: 'https://api.xiaomimimo.com/v1',
    addressName: 'XIAOMI_BASE_URL',
    hosts: ['xiaomimimo.com'],
    reasoningField: 'reasoning_content',
    reasoning: 'thinking',
  },
  {
    ...usual,
    id: 'tencent-tokenhub',
    formats: 'json',
    label: 'Tencent TokenHub',
    aliases: ['tencent', 'tokenhub'],
    page: 'https://console.cloud.tencent.com/tokenhub',
    keyName: 'TOKENHUB_API_KEY',
    address: 'https://tokenhub.tencentmaas.com/v1',
    addressName: 'TOKENHUB_BASE_URL',
    hosts: ['tencentmaas.com'],
  },
  {
    ...usual,
    id: 'stepfun',
    formats: 'json',
    label: 'StepFun Step Plan',
    aliases: ['step', 'step-plan'],
    page: 'https://platform.stepfun.ai',
    keyName: 'STEPFUN_API_KEY',
    sideModel: 'step-3.5-flash',
    address: 'https://api.stepfun.ai/step_plan/v1',
    addressName: 'STEPFUN_BASE_URL',
    hosts: ['api.stepfun.ai', 'api.stepfun.com'],
  },
  {
    ...usual,
    id: 'ollama-cloud',
    label: 'Ollama Cloud',
    page: 'https://ollama.com/settings/keys',
    keyName: 'OLLAMA_API_KEY',
    sideModel: 'nemotron-3-nano:30b',
    // OLLAMA_BASE_URL is where the server of this machine is.
    address: 'https://ollama.com/v1',
    hosts: ['ollama.com'],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    ...usual,
    id: 'arcee',
    label: 'Arcee AI',
    aliases: ['arcee-ai', 'arceeai'],
    page: 'https://docs.arcee.ai',
    keyName: 'ARCEEAI_API_KEY',
    address: 'https://api.arcee.ai/api/v1',
    addressName: 'ARCEE_BASE_URL',
    hosts: ['api.arcee.ai'],
  },
  {
    ...usual,
    id: 'gmi',
    label: 'GMI Cloud',
    aliases: ['gmi-cloud', 'gmicloud'],
    page: 'https://console.gmicloud.ai',
    keyName: 'GMI_API_KEY',
    sideModel: 'google/gemini-3.1-flash-lite',
    address: 'https://api.gmi-serving.com/v1',
    addressName: 'GMI_BASE_URL',
    hosts: ['api.gmi-serving.com'],
  },
  {
    ...usual,
    id: 'kilocode',
    label: 'Kilo Code',
    aliases: ['kilo', 'kilo-code'],
    page: 'https://app.kilo.ai',
    keyName: 'KILOCODE_API_KEY',
    sideModel: 'google/gemini-3-flash-preview',
    address: 'https://api.kilo.ai/api/gateway',
    addressName: 'KILOCODE_BASE_URL',
    hosts: ['api.kilo.ai'],
    reasoning: 'effort-in-object',
    keepsDetails: true,
  },
  {
    ...usual,
    id: 'opencode-zen',
    label: 'OpenCode Zen',
    aliases: ['zen', 'opencode'],
    page: 'https://opencode.ai/auth',
    keyName: 'OPENCODE_ZEN_API_KEY',
    sideModel: 'gemini-3-flash',
    address: 'https://opencode.ai/zen/v1',
    addressName: 'OPENCODE_ZEN_BASE_URL',
    hosts: ['opencode.ai'],
    // https://opencode.ai/docs/zen has the endpoint of each model.
    modelWires: [
      { models: /^gpt-/, wire: 'responses' },
      { models: /^claude-/, wire: 'messages' },
    ],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    ...usual,
    id: 'opencode-go',
    label: 'OpenCode Go',
    aliases: ['go'],
    page: 'https://opencode.ai/auth',
    keyName: 'OPENCODE_GO_API_KEY',
    sideModel: 'glm-5',
    address: 'https://opencode.ai/zen/go/v1',
    addressName: 'OPENCODE_GO_BASE_URL',
    hosts: ['opencode.ai'],
    modelWires: [{ models: /^minimax-/, wire: 'messages' }],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  {
    ...renamed,
    id: 'azure-foundry',
    formats: 'beside-tools',
    label: 'Azure AI Foundry',
    aliases: ['foundry'],
    page: 'https://ai.azure.com',
    keyName: 'AZURE_FOUNDRY_API_KEY',
    addressName: 'AZURE_FOUNDRY_BASE_URL',
    hosts: ['services.ai.azure.com', 'openai.azure.com', 'cognitiveservices.azure.com'],
    keyHeader: 'api-key',
    usualPath: '/openai/v1',
    modelWires: [{ models: /^claude-/, wire: 'messages', path: '/anthropic' }],
    cacheKey: true,
    reasoning: 'effort',
  },
  {
    ...usual,
    id: 'upstage',
    label: 'Upstage Solar',
    aliases: ['solar'],
    page: 'https://console.upstage.ai/api-keys',
    keyName: 'UPSTAGE_API_KEY',
    address: 'https://api.upstage.ai/v1',
    addressName: 'UPSTAGE_BASE_URL',
    hosts: ['api.upstage.ai'],
    reasoning: 'effort',
    efforts: ['low', 'medium', 'high'],
  },
]
