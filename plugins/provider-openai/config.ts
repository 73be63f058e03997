/** The block `providers`: where model services are, when not at their usual address. */
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

const hosted = z
  .object({
    base_url: z.string().default('').meta({
      description:
        'Another address of the provider with this id, such as `https://<name>.openai.azure.com` of `azure-openai`. Its key goes to hosts of that vendor and to this machine only.',
    }),
    api_version: z
      .string()
      .default('')
      .meta({ description: 'Sent as `api-version`: what addresses with a deployment of Azure need.' }),
  })
  .prefault({})

export const config = z
  .object({
    ollama: local('Ollama', 'http://127.0.0.1:11434').meta({ description: 'Where Ollama is.' }),
    lmstudio: local('LM Studio', 'http://127.0.0.1:1234').meta({ description: 'Where LM Studio is.' }),
    'llama-cpp': local('llama-server', 'http://127.0.0.1:8080 or :9931').meta({
      description: 'Where the server of llama.cpp is.',
    }),
    vllm: local('vLLM', 'http://127.0.0.1:8000').meta({ description: 'Where vLLM is.' }),
  })
  .catchall(hosted)
export type Config = z.infer<typeof config>
