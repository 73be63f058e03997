/** `svc model aux`: which models do side work. */
import { AuxiliaryModels, type CliArguments, type CliContext, Clock, type PluginContext } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import type { AuxiliarySlotInfo } from 'svc/sdk/provider'
import { findProvider, probeProvider } from './providers.ts'
import { AUTO, warnings } from './set.ts'

type Context = PluginContext<undefined>

const QUESTION = 'Answer with one word: ready'
/** Enough for models that think before they say a word. */
const MAX_OUTPUT_TOKENS = 1024

/** Each slot on a line. */
export async function listSlots(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const slots = ctx.use(AuxiliaryModels).slots()
  if (options['json'] === true) io.out(`${JSON.stringify(slots, undefined, 2)}\n`)
  else for (const slot of slots) io.out(formatSlotLine(slot))
  return 0
}

/** A slot or provider that is not there is refused; a provider that is not ready is warned about. */
export async function setSlot(ctx: Context, { args }: CliArguments, io: CliContext): Promise<number> {
  const [slot = '', typed = '', model] = args
  let name = typed
  if (!isSlot(ctx, slot, io)) return 2
  if (typed !== AUTO) {
    const found = findProvider(ctx, typed)
    if ('problem' in found) {
      io.err(`${found.problem} Nothing was written.\n`)
      return 1
    }
    const seen = await probeProvider(ctx, found)
    for (const warning of warnings(seen, model, `model aux set ${slot}`)) io.err(`${warning}\n`)
    name = found.name
  }
  const edits = [
    { path: `auxiliary.${slot}.provider`, value: name === AUTO ? undefined : name },
    { path: `auxiliary.${slot}.model`, value: model },
  ]
  const change = await ctx.use(ConfigFile).write(edits, { author: 'model-cli', reason: 'svc model aux set' })
  const who = name === AUTO ? 'the provider of the chat' : name
  const now = `${slot} is done by ${model ?? 'the usual model'} of ${who}.`
  io.out(change ? `${now} Take it back with \`svc config undo\`.\n` : `${now} No change.\n`)
  return 0
}

/** Costs one short call; what stands in its way is thrown by `AuxiliaryModels`. */
export async function testSlot(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const [slot = ''] = args
  if (!isSlot(ctx, slot, io)) return 2
  const start = ctx.use(Clock).monotonic()
  const answer = await ctx.use(AuxiliaryModels).ask({
    slot,
    messages: [{ role: 'user', text: QUESTION }],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    signal: io.signal,
  })
  const ms = Math.round(ctx.use(Clock).monotonic() - start)
  if (options['json'] === true) io.out(`${JSON.stringify({ slot, ...answer, ms }, undefined, 2)}\n`)
  else io.out(`${answer.model} of ${answer.provider} did the work of ${slot} in ${ms} ms:\n${answer.text}\n`)
  return 0
}

/** The error for an unknown name lists the known ones. */
function isSlot(ctx: Context, name: string, io: CliContext): boolean {
  const names = ctx
    .use(AuxiliaryModels)
    .slots()
    .map(({ slot }) => slot)
  if (names.includes(name)) return true
  io.err(`There is no side work "${name}". There are: ${names.join(', ')}.\n`)
  return false
}

function formatSlotLine({ slot, provider, model, timeoutMs }: AuxiliarySlotInfo): string {
  const who = provider === AUTO ? 'provider of the chat' : provider
  const which = model === '' ? 'usual model' : model
  return `${slot.padEnd(18)} ${which}, ${who}, at most ${timeoutMs / 1000} s\n`
}
