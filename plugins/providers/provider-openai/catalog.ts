/** The servers this plugin speaks to, as data: everything that differs between them. */

import type { ModelServer } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import { llamaCpp, lmStudio, ollama, type Recognise, vllm } from './recognise.ts'
import { signedIn } from './signed-in.ts'
import { type HostedEntry, vendors } from './vendors.ts'
import type { Dialect } from './wire.ts'

/** What entries without a vendor have. */
interface Entry extends Dialect {
  /** The id in `model.provider`. */
  readonly id: string
  readonly label: string
  readonly aliases?: readonly string[]
  /** The environment variable whose value is sent as bearer token, to this server only. */
  readonly keyName?: string
  /** The variable that may hold another address. */
  readonly addressName?: string
}

/** Any server, at the address in `model.base_url`, or one with a name, at `providers.<name>.base_url`. */
export interface CustomEntry extends Entry {
  readonly kind: 'custom'
  /** The name in `providers` of `custom:<name>`. */
  readonly block?: string
  /** Where it is, when the settings of another plugin say so. */
  readonly place?: { readonly address: string; readonly setting: string }
  /** A key that is not stored, to be tried. */
  readonly trialKey?: string
}

/** A server people run on their own machine, looked for at the ports it uses unless told otherwise. */
export interface LocalEntry extends Entry {
  readonly kind: 'local'
  readonly id: LocalId
  /** Without `/v1`. */
  readonly addresses: readonly string[]
  /** What is asked to make sure that it is this server, and to learn its models. */
  readonly paths: readonly string[]
  readonly recognise: Recognise
  /** For people whose server runs but serves nothing. */
  readonly advice: string
}

export type LocalId = 'ollama' | 'lmstudio' | 'llama-cpp' | 'vllm'
export type CatalogEntry = HostedEntry | CustomEntry | LocalEntry

/** The servers that the user has given a name: blocks of `providers` with an address that are no provider's. */
export function namedServers(config: Config, isKnown: (id: string) => boolean): CustomEntry[] {
  return Object.entries(config).flatMap(([name, { base_url, key_env }]) => {
    if (isKnown(name) || base_url.trim() === '') return []
    const entry = { kind: 'custom', id: `custom:${name}`, label: name, block: name, limitField: 'max_tokens' } as const
    return [{ ...entry, ...openly, ...(key_env.trim() === '' ? {} : { keyName: key_env.trim() }) }]
  })
}

/** A server that another plugin has an address of. */
export function serverEntry({ name, label, baseUrl, setting, keyName, trialKey }: ModelServer): CustomEntry {
  return {
    kind: 'custom',
    id: name,
    label,
    limitField: 'max_tokens',
    ...openly,
    place: { address: baseUrl, setting },
    ...(keyName === undefined ? {} : { keyName }),
    ...(trialKey === undefined ? {} : { trialKey }),
  }
}

/** What any compatible server may know. */
export const openly = { reasoning: 'effort', efforts: ['none', 'low', 'medium', 'high'] } as const

/** In the order in which local servers are preferred. */
export const catalog: readonly CatalogEntry[] = [
  ...vendors,
  ...signedIn,
  {
    kind: 'custom',
    id: 'custom',
    label: 'Any compatible server',
    keyName: 'CUSTOM_API_KEY',
    limitField: 'max_tokens',
    ...openly,
  },
  {
    kind: 'local',
    id: 'ollama',
    label: 'Ollama',
    addressName: 'OLLAMA_BASE_URL',
    limitField: 'max_tokens',
    ...openly,
    addresses: ['http://127.0.0.1:11434'],
    paths: ['/api/version', '/api/tags'],
    recognise: ollama,
    advice: 'pull one with `ollama pull <model>`',
  },
  {
    kind: 'local',
    id: 'lmstudio',
    label: 'LM Studio',
    aliases: ['lm-studio'],
    keyName: 'LM_API_KEY',
    addressName: 'LM_BASE_URL',
    limitField: 'max_tokens',
    ...openly,
    addresses: ['http://127.0.0.1:1234'],
    paths: ['/api/v0/models', '/api/v1/models'],
    recognise: lmStudio,
    advice: 'download one in LM Studio or with `lms get <model>`',
  },
  {
    kind: 'local',
    id: 'llama-cpp',
    label: 'llama.cpp',
    aliases: ['llama.cpp', 'llamacpp', 'llama-server'],
    keyName: 'LLAMA_API_KEY',
    limitField: 'max_tokens',
    reasoning: 'template',
    efforts: ['low', 'medium', 'high'],
    // 9931 is announced as the next default: https://github.com/ggml-org/llama.cpp/pull/26508
    addresses: ['http://127.0.0.1:8080', 'http://127.0.0.1:9931'],
    paths: ['/v1/models', '/props'],
    recognise: llamaCpp,
    advice: 'start it with `llama-server -m <file.gguf>`',
  },
  {
    kind: 'local',
    id: 'vllm',
    label: 'vLLM',
    keyName: 'VLLM_API_KEY',
    limitField: 'max_tokens',
    ...openly,
    addresses: ['http://127.0.0.1:8000'],
    paths: ['/v1/models', '/version'],
    recognise: vllm,
    advice: 'start it with `vllm serve <model>`',
  },
]
