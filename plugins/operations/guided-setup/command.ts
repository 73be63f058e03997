/** `svc setup`: which sections, with a person or without one. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag, paint, printAddress, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
import { Setup, type SetupNote, type SetupQuestion, type SetupValue } from 'svc/sdk/operations'
import { getDefault, toAnswer } from './answers.ts'
import { askSection } from './dialogue.ts'

type Context = PluginContext<undefined>

/** The subscription whose sign-in serves models at once. */
const PORTAL = ['svc auth add nous', 'svc model set nous'] as const

export async function run(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const setup = ctx.use(Setup)
  const [typed] = input.args
  const names = typed === undefined ? setup.sections().map(({ name }) => name) : [typed]
  if (hasFlag(input, 'list')) return list(setup, names, input, io)
  if (hasFlag(input, 'portal')) {
    io.out(`Sign in, then choose the subscription:\n${PORTAL.map((line) => `  ${line}\n`).join('')}`)
    return 0
  }
  if (hasFlag(input, 'nonInteractive') || hasFlag(input, 'json')) return answerAll(setup, typed, input, io)
  if (!io.interactive) {
    const message = `There is no terminal to ask on. Give the answers: svc setup ${typed ?? 'SECTION'} --non-interactive --answer KEY=VALUE. The questions are listed by svc setup --list.`
    throw new SvcError('SETUP_NO_TERMINAL', message, { status: 400 })
  }
  return askAll(ctx, names, io)
}

async function askAll(ctx: Context, names: readonly string[], io: CliContext): Promise<number> {
  const setup = ctx.use(Setup)
  io.out(
    'Enter takes the value in brackets. "<" goes back to the question before, "skip" leaves the section as it is.\n',
  )
  for (const name of names) {
    const section = setup.sections().find((each) => each.name === name)
    if (section) io.out(`\n${section.title}: ${section.description}\n`)
    const answers = await askSection({ setup, section: name, io, log: ctx.log })
    if (answers === 'ended') {
      io.err(`Nothing of ${name} was written. To begin again: svc setup ${name}\n`)
      return 1
    }
    if (answers === 'skipped') {
      io.out(`${name} stays as it is.\n`)
      continue
    }
    const change = await setup.write(name, answers, io.signal)
    io.out(change ? `Written. To take it back: svc config undo ${change.id}\n` : `${name} stays as it is.\n`)
    for (const note of await setup.conclude(name, answers, io.signal)) await printNote(io, note)
  }
  return 0
}

async function printNote(io: CliContext, { text, address, isProblem }: SetupNote): Promise<void> {
  io.out(`${paint(io, isProblem ? 'yellow' : undefined, safeLine(text))}\n`)
  if (address !== undefined) await printAddress(io, address)
}

async function answerAll(
  setup: Setup,
  section: string | undefined,
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  if (section === undefined)
    throw new SvcError('SETUP_SECTION', 'Name the section to answer for. Those there are: svc setup --list', {
      status: 400,
    })
  const given = parseAnswers(input)
  const answers: Record<string, SetupValue> = {}
  for (;;) {
    const question = await setup.next(section, answers, io.signal)
    if (!question) break
    const typed = given.get(question.key)
    given.delete(question.key)
    answers[question.key] = typed === undefined ? getDefault(question) : toAnswer(question, typed)
    const problem = await setup.check(section, answers, question.key, io.signal)
    if (problem !== undefined)
      throw new SvcError('SETUP_INCOMPLETE', `${question.key}: ${problem} Nothing was written.`, { status: 400 })
  }
  const [stray] = given.keys()
  if (stray !== undefined)
    throw new SvcError('SETUP_INCOMPLETE', `The section ${section} has no question ${stray}. Nothing was written.`, {
      status: 400,
    })
  const change = await setup.write(section, answers, io.signal)
  const notes = await setup.conclude(section, answers, io.signal)
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, section, changed: change !== undefined, change: change?.id, notes })
    return 0
  }
  io.out(change ? `Written. To take it back: svc config undo ${change.id}\n` : `${section} stays as it is.\n`)
  for (const note of notes) await printNote(io, note)
  return 0
}

async function list(setup: Setup, names: readonly string[], input: CliArguments, io: CliContext): Promise<number> {
  const found = []
  for (const name of names) found.push({ name, questions: await listFirst(setup, name, io.signal) })
  if (hasFlag(input, 'json')) {
    printJson(io, found)
    return 0
  }
  for (const { name, questions } of found) {
    io.out(`svc setup ${name}\n`)
    for (const question of questions)
      io.out(`  ${quotePath(question.key)}: ${safeLine(question.title)}${describeOptions(question)}\n`)
  }
  return 0
}

/** Those that come when each is answered by what is in force. */
async function listFirst(setup: Setup, section: string, signal: AbortSignal): Promise<SetupQuestion[]> {
  const answers: Record<string, SetupValue> = {}
  const questions: SetupQuestion[] = []
  for (;;) {
    const question = await setup.next(section, answers, signal)
    if (!question) return questions
    questions.push(question)
    answers[question.key] = getDefault(question)
  }
}

function describeOptions({ options }: SetupQuestion): string {
  return options ? ` (${safeLine(options.map(({ value }) => value).join(', '))})` : ''
}

function parseAnswers({ options }: CliArguments): Map<string, string> {
  const typed = [options['answer'] ?? []].flat().filter((each) => typeof each === 'string')
  const pairs = typed.map((each) => {
    const at = each.indexOf('=')
    if (at > 0) return [each.slice(0, at), each.slice(at + 1)] as const
    throw new SvcError('SETUP_INCOMPLETE', `--answer takes KEY=VALUE, not "${each}".`, { status: 400 })
  })
  return new Map(pairs)
}
