/**
 * The block `providers`: where model services are, when not at their usual address, and what they are sent besides. One
 * schema for all of them, made when there is something to check: what is not set costs no time at the start.
 */
import { z } from 'zod'

const service = z.lazy(() =>
  z
    .object({
      base_url: z.string().default('').meta({
        description:
          'Another address of the provider with this id, such as `https://<name>.openai.azure.com` of `azure-openai`; its key goes to hosts of that vendor and to this machine only. For `ollama`, `lmstudio`, `llama-cpp` and `vllm`: where that server is. Under any other name: a server of your own, chosen with `model.provider: custom:<name>`.',
      }),
      api_version: z.string().default('').meta({
        description: 'Sent as `api-version`; a date asks Azure for the deployment that has the name of the model.',
      }),
      api_mode: z.enum(['auto', 'chat_completions', 'responses', 'codex_responses']).default('auto').meta({
        description:
          "How it is asked. `auto`: by OpenAI's Responses API at api.openai.com and api.x.ai, by chat completions elsewhere. `codex_responses` is another word for `responses`.",
      }),
      key_env: z
        .string()
        .default('')
        .meta({ description: 'For a server of your own: the variable that holds its key. Empty: it wants none.' }),
      models: z
        .array(z.string())
        .default([])
        .meta({ description: 'Models to offer when the server does not list them itself.' }),
      extra_headers: z
        .record(z.string(), z.string().meta({ description: 'The value of the header.' }))
        .default({})
        .meta({ description: 'Headers of every request to this address; `${NAME}` is the value of a variable.' }),
      extra_body: z
        .record(z.string(), z.unknown().meta({ description: 'Any JSON.' }))
        .default({})
        .meta({ description: 'Fields of every model call; they win over what svc would send.' }),
    })
    .prefault({}),
)
export type ServiceConfig = Partial<z.infer<typeof service>>

export const config = z.record(z.string(), service)
export type Config = z.infer<typeof config>
