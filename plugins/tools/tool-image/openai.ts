/**
 * The image API of OpenAI (platform.openai.com/docs/api-reference/images), through its own client. LocalAI speaks it, too,
 * and may answer with an address instead of base64 (localai.io/features/image-generation).
 */
import type { ImageEditParamsNonStreaming, ImageGenerateParamsNonStreaming } from 'openai/resources/images'
import { SvcError, type Usage } from 'svc/sdk'
import type { GeneratedImage, ImageGenerationRequest, MediaFiles } from 'svc/sdk/media'
import { type ApiClient, createFetch, fetchBytes, toApiError } from 'svc/sdk/web'
import { z } from 'zod'

/** The endpoint and its options. */
export interface ImageServer {
  readonly service: ApiClient
  readonly baseUrl: string
  readonly key: string | undefined
  /** Empty: the one of the server. */
  readonly model: string
  readonly quality: string
  readonly media: MediaFiles
}

const answered = z.object({
  data: z.array(
    z.object({ b64_json: z.string().nullish(), url: z.string().nullish(), revised_prompt: z.string().nullish() }),
  ),
  usage: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
})

type Answer = z.infer<typeof answered>

/** A large picture is drawn for minutes, in silence. */
const LIMITS = { timeoutMs: 300_000, idleMs: 300_000, maxBytes: 64 * 2 ** 20 }
const MAX_PICTURE = 50 * 2 ** 20

/** What a shape is called by the models: those of DALL-E 3 and its like, and all others. */
const SIZES = {
  'dall-e-3': { landscape: '1792x1024', square: '1024x1024', portrait: '1024x1792' },
  'dall-e-2': { landscape: '1024x1024', square: '1024x1024', portrait: '1024x1024' },
} as const
const USUAL_SIZES = { landscape: '1536x1024', square: '1024x1024', portrait: '1024x1536' } as const

/** Makes the picture, or changes the original. Throws the service's code, or what the reader of pictures does. */
export async function askForImage(order: ImageGenerationRequest, server: ImageServer): Promise<GeneratedImage> {
  const { service } = server
  const { data, usage } = await answerTo(order, server)
  const [first] = data
  if (!first?.b64_json && !first?.url) throw new SvcError(service.code, `${service.who} sent no picture.`)
  const bytes = first.b64_json
    ? Buffer.from(first.b64_json, 'base64')
    : await fetchImage(first.url ?? '', order, server)
  const revised = first.revised_prompt
  return { bytes, usage: readUsage(usage), ...(revised ? { revisedPrompt: service.mask(revised).slice(0, 2000) } : {}) }
}

/** Servers that imitate the API are not bound to its types: what comes is checked. */
async function answerTo(order: ImageGenerationRequest, server: ImageServer): Promise<Answer> {
  const { service, key } = server
  const { OpenAI, toFile } = await import('./client.ts')
  const client = new OpenAI({
    baseURL: server.baseUrl.replace(/\/+$/, ''),
    // Everything is given, so that nothing is taken from the environment.
    apiKey: key ?? 'none',
    organization: null,
    project: null,
    logLevel: 'off',
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    maxRetries: 0,
    // The limits of `createFetch` hold; this one would be on another clock.
    timeout: LIMITS.timeoutMs * 2,
    fetch: createFetch(service, { ...LIMITS, schema: answered }),
  })
  const { signal, prompt, original } = order
  const asked = { prompt, n: 1, ...settings(order, server) }
  try {
    if (!original)
      return answered.parse(await client.images.generate(asked as ImageGenerateParamsNonStreaming, { signal }))
    const image = await toFile(original.bytes, `picture.${original.extension}`, { type: original.mediaType })
    const edit = { ...asked, image } as ImageEditParamsNonStreaming
    return (await client.images.edit(edit, { signal })) as Answer
  } catch (error) {
    throw toApiError(error, service, signal)
  }
}

function settings({ shape }: ImageGenerationRequest, { model, quality }: ImageServer): Record<string, string> {
  const sizes = SIZES[model as keyof typeof SIZES] ?? USUAL_SIZES
  return {
    ...(model === '' ? {} : { model }),
    size: sizes[shape],
    // The GPT image models always answer in base64, and refuse to be told so.
    ...(/^(gpt-image|chatgpt-image)/.test(model) ? {} : { response_format: 'b64_json' }),
    ...(quality === 'auto' ? {} : { quality }),
  }
}

/** The server's own address is the user's choice; any other one passes the guard of addresses. No key goes there. */
async function fetchImage(
  address: string,
  { signal }: ImageGenerationRequest,
  server: ImageServer,
): Promise<Uint8Array> {
  const { service, baseUrl, media } = server
  if (!URL.canParse(address, baseUrl)) throw new SvcError(service.code, `${service.who} sent no picture.`)
  const url = new URL(address, baseUrl)
  if (url.origin === new URL(baseUrl).origin) return fetchBytes(service, { url: url.href, signal }, MAX_PICTURE)
  return (await media.picture({ source: url.href, cwd: '/', signal, maxBytes: MAX_PICTURE })).bytes
}

function readUsage(usage: Answer['usage']): Usage {
  const { input_tokens: input, output_tokens: output } = usage ?? {}
  return { ...(typeof input === 'number' ? { input } : {}), ...(typeof output === 'number' ? { output } : {}) }
}
