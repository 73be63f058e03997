/** The work of `image_generate`: money is held, the picture made, looked at and kept. */
import { errorMessage, type Models, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import {
  type GeneratedImage,
  type ImageFile,
  type ImageGenerationRequest,
  type ImageGenerator,
  type MediaFiles,
  runWithinBudget,
} from 'svc/sdk/media'
import type { Budgets } from 'svc/sdk/safety'
import { type ChoiceDeps, chooseBackend } from './choose.ts'
import type { ImageInput } from './tools.ts'

export interface ImageDeps extends ChoiceDeps {
  /** Where pictures are kept. */
  readonly folder: string
  /** Aborted when the plugin goes. */
  readonly unloaded: AbortSignal
  readonly budgets: () => Budgets | undefined
  readonly media: () => MediaFiles
  readonly models: () => Models | undefined
}

const CHARACTERS_PER_TOKEN = 4
/** What a large picture of high quality takes to draw, and what one takes to read. */
const TOKENS_DRAWN = 6300
const TOKENS_READ = 1600
/** Characters of base64 that models take back. A larger picture is in its file only. */
const MAX_SHOWN = 4 * 2 ** 20

/** Throws `IMAGE_...`, `BUDGET_EXCEEDED`, or what the reader of pictures throws. */
export async function generateImage(asked: ImageInput, turn: ToolContext, deps: ImageDeps): Promise<ToolResult> {
  const backend = chooseBackend(deps, asked.image_url === undefined ? 'make' : 'edit')
  if ('reason' in backend) throw new SvcError('IMAGE_NO_BACKEND', `No picture can be made: ${backend.reason}.`)
  const signal = AbortSignal.any([turn.signal, deps.unloaded])
  const source = asked.image_url
  const original = source === undefined ? undefined : await deps.media().picture({ source, cwd: turn.cwd, signal })
  turn.progress(`Asking ${backend.label} for a picture`)
  const order = { prompt: asked.prompt, shape: asked.aspect_ratio, signal, ...(original && { original }) }
  const made = await paid(backend, order, turn, deps)
  return createResult(await checkImage(made, backend, order, deps), made, backend, { turn, host: deps })
}

function paid(
  backend: ImageGenerator,
  order: ImageGenerationRequest,
  turn: ToolContext,
  deps: ImageDeps,
): Promise<GeneratedImage> {
  const { account } = backend
  if (!account) return backend.make(order)
  return runWithinBudget(deps.budgets(), {
    spender: { sessionId: turn.sessionId, turnId: turn.turnId, purpose: 'image', ...account },
    estimate: {
      inputTokens: Math.ceil(order.prompt.length / CHARACTERS_PER_TOKEN) + (order.original ? TOKENS_READ : 0),
      outputTokens: TOKENS_DRAWN,
    },
    signal: order.signal,
    run: () => backend.make(order),
    usage: ({ usage }) => usage,
  })
}

async function checkImage(
  { bytes }: GeneratedImage,
  { label }: ImageGenerator,
  { signal }: ImageGenerationRequest,
  deps: ImageDeps,
): Promise<ImageFile> {
  try {
    return await deps.media().picture({ source: bytes, cwd: '/', signal })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new SvcError('IMAGE_FAILED', `${label} sent no picture: ${errorMessage(error)}`, {
      status: 502,
      cause: error,
    })
  }
}

/** A picture that was paid for is not lost when its file cannot be written. */
async function createResult(
  picture: ImageFile,
  made: GeneratedImage,
  { name }: ImageGenerator,
  { turn, host }: { readonly turn: ToolContext; readonly host: ImageDeps },
): Promise<ToolResult> {
  const { mediaType, width, height } = picture
  const kept = await host
    .media()
    .keep(host.folder, picture)
    .then((path) => ({ path, text: `Saved as ${path}` }))
    .catch((error: unknown) => ({ path: undefined, text: `Not saved: ${errorMessage(error)}` }))
  const data = Buffer.from(picture.bytes).toString('base64')
  const isSmall = data.length <= MAX_SHOWN
  const isShown = isSmall && host.models()?.describe(turn.model).images === true
  const notes = [
    `${kept.text} (${mediaType}, ${width} x ${height} pixels).`,
    ...(isSmall ? [] : ['It is too large to be looked at here.']),
    ...(made.revisedPrompt === undefined ? [] : [`Drawn from: ${made.revisedPrompt}`]),
  ]
  return {
    text: notes.join('\n'),
    data: { ...(kept.path === undefined ? {} : { path: kept.path }), mediaType, width, height, backend: name },
    ...(isShown ? { images: [{ mediaType, data }] } : {}),
    ...(kept.path === undefined ? {} : { files: [{ path: kept.path, mediaType }] }),
  }
}
