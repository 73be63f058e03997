/** `svc prompt diff`: which part of the system prompt changed between two sessions, and whose plugin it is. */
import { type CliArguments, type CliContext, type PluginContext, Sessions, SvcError, type TurnContext } from 'svc/sdk'
import { unreachablePerson } from 'svc/sdk/host'
import { readRecord } from './author-notes.ts'
import type { Config } from './config.ts'
import { locate, type Stretch } from './locate-authors.ts'
import { partTexts } from './prompt-parts.ts'

/** One part in both prompts. */
interface Change {
  readonly name: string
  readonly plugin: string
  readonly tier: string
  readonly change: 'same' | 'changed' | 'only in a' | 'only in b'
  readonly bytes: readonly [a: number, b: number]
  /** Unified, without its head. */
  readonly diff?: string
}

/** A prompt taken apart. */
interface Prompt {
  readonly text: string
  readonly stretches: readonly Stretch[]
  /** Taken apart by what the plugins say today, since nothing was noted when it was built. */
  readonly guessed: boolean
}

/** Exit code 0 whether or not they differ, as it is a question, not a check. */
export async function showDifference(ctx: PluginContext<Config>, input: CliArguments, io: CliContext): Promise<void> {
  const [first = '', second = ''] = input.args
  const [a, b] = [await load(ctx, first), await load(ctx, second)]
  const changes = await compare(a, b)
  const broken = firstDifference(a, b)
  const report = { a: first, b: second, same: a.text === b.text, first_difference: broken, parts: changes }
  if (input.options['json']) {
    io.out(`${JSON.stringify({ ...report, guessed: a.guessed || b.guessed }, undefined, 2)}\n`)
    return
  }
  io.out(formatReport(report))
  if (a.guessed || b.guessed)
    io.err('The parts were not noted when a prompt was built; they are told apart as of today.\n')
}

async function load(ctx: PluginContext<Config>, id: string): Promise<Prompt> {
  const session = ctx.use(Sessions).open(id)
  const text = session.systemPrompt()
  if (text === undefined)
    throw new SvcError('PROMPT_NOT_BUILT', `The session ${id} has no system prompt yet. Run a turn in it first.`)
  const noted = await readRecord(ctx, text)
  if (noted) return { text, stretches: noted, guessed: false }
  const at: TurnContext = {
    sessionId: id,
    turnId: 'prompt-diff',
    surface: 'cli',
    cwd: session.cwd,
    model: { provider: '', model: '' },
    purpose: 'user',
    person: unreachablePerson,
  }
  return { text, stretches: locate(text, await partTexts(ctx, at)), guessed: true }
}

/** Where the common beginning, which a provider's cache can reuse, ends. */
function firstDifference(a: Prompt, b: Prompt): { byte: number; part: string; plugin: string } | undefined {
  if (a.text === b.text) return undefined
  let at = 0
  while (at < a.text.length && a.text[at] === b.text[at]) at++
  const where = stretchAt(a, at) ?? stretchAt(b, at)
  const byte = Buffer.byteLength(a.text.slice(0, at))
  return { byte, part: where?.name ?? 'unknown', plugin: where?.plugin ?? 'unknown' }
}

/** The stretch that a place is in, or that begins behind it. */
function stretchAt({ stretches }: Prompt, at: number): Stretch | undefined {
  return stretches.find((stretch) => at < stretch.end)
}

async function compare(a: Prompt, b: Prompt): Promise<Change[]> {
  const keys = (prompt: Prompt) => prompt.stretches.map(getStretchKey)
  const all = [...new Set([...keys(a), ...keys(b)])]
  return Promise.all(all.map((key) => describeChange(key, a, b)))
}

function getStretchKey({ name, plugin }: Stretch): string {
  return `${plugin}\n${name}`
}

async function describeChange(key: string, a: Prompt, b: Prompt): Promise<Change> {
  const inA = a.stretches.find((stretch) => getStretchKey(stretch) === key)
  const inB = b.stretches.find((stretch) => getStretchKey(stretch) === key)
  const textOfA = inA && a.text.slice(inA.start, inA.end)
  const textOfB = inB && b.text.slice(inB.start, inB.end)
  const [plugin = '', name = ''] = key.split('\n')
  const bytes = [Buffer.byteLength(textOfA ?? ''), Buffer.byteLength(textOfB ?? '')] as const
  const known = { name, plugin, tier: (inA ?? inB)?.tier ?? 'unknown', bytes }
  if (textOfA === textOfB) return { ...known, change: 'same' }
  const change = textOfA === undefined ? 'only in b' : textOfB === undefined ? 'only in a' : 'changed'
  return { ...known, change, diff: await lineDiff(textOfA ?? '', textOfB ?? '') }
}

async function lineDiff(a: string, b: string): Promise<string> {
  const { structuredPatch } = await import('diff')
  const { hunks } = structuredPatch('a', 'b', a, b, undefined, undefined, { context: 1 })
  return hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith('\\'))).join('\n')
}

function formatReport(report: {
  readonly same: boolean
  readonly first_difference: ReturnType<typeof firstDifference>
  readonly parts: readonly Change[]
}): string {
  if (report.same) return 'The two system prompts are the same, byte for byte.\n'
  const changed = report.parts.filter(({ change }) => change !== 'same')
  const blocks = changed.map(({ name, plugin, tier, change, bytes, diff }) => {
    const head = `${name} (${tier}, plugin ${plugin}): ${change}, ${bytes[0]} -> ${bytes[1]} bytes`
    return diff ? `${head}\n${diff.replace(/^/gm, '  ')}` : head
  })
  const { byte, part, plugin } = report.first_difference ?? { byte: 0, part: '', plugin: '' }
  const broken = `The common prefix ends after ${byte} bytes, in ${part} of the plugin ${plugin}.`
  return `${[...blocks, broken].join('\n\n')}\n`
}
