/** The block `providers`: where local model servers are looked for. */
import { z } from 'zod'

const local = (label: string, usual: string) =>
  z
    .object({
      base_url: z
        .string()
        .default('')
        .meta({ description: `Address of ${label}, with or without /v1. Empty: the usual one, ${usual}.` }),
    })
    .prefault({})

export const config = z.object({
  ollama: local('Ollama', 'http://127.0.0.1:11434').meta({ description: 'Where Ollama is.' }),
  lmstudio: local('LM Studio', 'http://127.0.0.1:1234').meta({ description: 'Where LM Studio is.' }),
  'llama-cpp': local('llama-server', 'http://127.0.0.1:8080 or :9931').meta({
    description: 'Where the server of llama.cpp is.',
  }),
  vllm: local('vLLM', 'http://127.0.0.1:8000').meta({ description: 'Where vLLM is.' }),
})
export type Config = z.infer<typeof config>
