/** The backends that come with the tool. Both speak the image API of OpenAI. */

import type { GeneratedImage, ImageGenerationRequest, ImageGenerator, MediaFiles } from 'svc/sdk/media'
import { isKeyAllowedAt, isLoopback } from 'svc/sdk/provider'
import type { ApiClient } from 'svc/sdk/web'
import type { Config } from './config.ts'
import type { ImageServer } from './openai.ts'

export interface BackendDeps {
  readonly config: Config
  readonly key: (name: string) => string | undefined
  readonly service: (about: { readonly who: string; readonly keyName?: string }) => ApiClient
  readonly media: () => MediaFiles
}

/** OpenAI. Its key goes to its own addresses and to this machine, wherever the config leads. */
export function openaiBackend(deps: BackendDeps): ImageGenerator {
  const { openai_base_url: baseUrl, openai_model: model, openai_quality: quality } = deps.config
  const keyName = 'OPENAI_API_KEY'
  return {
    name: 'openai',
    label: 'OpenAI',
    order: 50,
    edits: !/^dall-e-3/.test(model),
    account: { provider: 'openai', model },
    missing() {
      if (!URL.canParse(baseUrl)) return 'needs an address in image.openai_base_url'
      if (!isKeyAllowedAt(new URL(baseUrl), ['openai.com']))
        return 'needs an address of OpenAI in image.openai_base_url; other servers go to image.base_url'
      return deps.key(keyName) === undefined ? `needs ${keyName}` : undefined
    },
    make: (order) => {
      const service = deps.service({ who: 'OpenAI', keyName })
      return make(deps, order, { service, baseUrl, key: deps.key(keyName), model, quality })
    },
  }
}

/** A server of the user's own. Free if it runs on this machine. */
export function customBackend(deps: BackendDeps): ImageGenerator {
  const { base_url: baseUrl, model, edits } = deps.config
  const keyName = 'IMAGE_API_KEY'
  const isLocal = URL.canParse(baseUrl) && isLoopback(new URL(baseUrl))
  return {
    name: 'custom',
    label: 'A server of your own',
    order: 10,
    edits,
    ...(isLocal ? {} : { account: { provider: 'custom', model: model || 'image' } }),
    missing: () => (/^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? undefined : 'needs image.base_url'),
    make: (order) => {
      const service = deps.service({ who: `The server at ${new URL(baseUrl).host}`, keyName })
      return make(deps, order, { service, baseUrl, key: deps.key(keyName), model, quality: 'auto' })
    },
  }
}

async function make(
  deps: BackendDeps,
  order: ImageGenerationRequest,
  server: Omit<ImageServer, 'media'>,
): Promise<GeneratedImage> {
  const { askForImage } = await import('./openai.ts')
  return askForImage(order, { ...server, media: deps.media() })
}
