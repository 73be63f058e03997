/** The servers this plugin speaks to, as data: everything that differs between them. */
import { llamaCpp, lmStudio, ollama, type Recognise, vllm } from './recognise.ts'
import { type HostedEntry, vendors } from './vendors.ts'
import type { Dialect } from './wire.ts'

/** What entries without a vendor have. */
interface Entry extends Dialect {
  /** The id in `model.provider`. */
  readonly id: string
  readonly label: string
  /** The environment variable whose value is sent as bearer token, to this server only. */
  readonly keyName?: string
}

/** Any server, at the address in `model.base_url`. */
export interface CustomEntry extends Entry {
  readonly kind: 'custom'
  readonly keyName: string
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

/** In the order in which local servers are preferred. */
export const catalog: readonly CatalogEntry[] = [
  ...vendors,
  {
    kind: 'custom',
    id: 'custom',
    label: 'Any compatible server',
    keyName: 'CUSTOM_API_KEY',
    limitField: 'max_tokens',
  },
  {
    kind: 'local',
    id: 'ollama',
    label: 'Ollama',
    limitField: 'max_tokens',
    addresses: ['http://127.0.0.1:11434'],
    paths: ['/api/version', '/api/tags'],
    recognise: ollama,
    advice: 'pull one with `ollama pull <model>`',
  },
  {
    kind: 'local',
    id: 'lmstudio',
    label: 'LM Studio',
    keyName: 'LM_API_KEY',
    limitField: 'max_tokens',
    addresses: ['http://127.0.0.1:1234'],
    paths: ['/api/v0/models', '/api/v1/models'],
    recognise: lmStudio,
    advice: 'download one in LM Studio or with `lms get <model>`',
  },
  {
    kind: 'local',
    id: 'llama-cpp',
    label: 'llama.cpp',
    keyName: 'LLAMA_API_KEY',
    limitField: 'max_tokens',
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
    addresses: ['http://127.0.0.1:8000'],
    paths: ['/v1/models', '/version'],
    recognise: vllm,
    advice: 'start it with `vllm serve <model>`',
  },
]
