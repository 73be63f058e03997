/** The questions of a section at a terminal: each answer is checked at once, and "<" takes the last one back. */
import { type CliContext, errorMessage, type Logger, logFault } from 'svc/sdk'
import { printAddress, safeLine } from 'svc/sdk/kit/terminal'
import type { Setup, SetupAnswers, SetupQuestion, SetupValue } from 'svc/sdk/operations'
import { getDefault, toAnswer } from './answers.ts'

const BACK = '<'
const SKIP = 'skip'

/** A section that is asked at a terminal. */
export interface Dialogue {
  readonly setup: Setup
  readonly section: string
  readonly io: CliContext
  readonly log: Pick<Logger, 'warn'>
}

/** All answers; `skipped` when the person leaves the section out, `ended` when the terminal ended. Nothing is written. */
export async function askSection(dialogue: Dialogue): Promise<SetupAnswers | 'skipped' | 'ended'> {
  const { setup, section, io } = dialogue
  const given: [string, SetupValue][] = []
  for (;;) {
    const answers = Object.fromEntries(given)
    const question = await setup.next(section, answers, io.signal)
    if (!question) return answers
    const typed = await answer(dialogue, { answers, question })
    if (typed === undefined) return 'ended'
    if (typed === SKIP) return 'skipped'
    if (typed === BACK) takeBack(given, io)
    else {
      const value = readAnswer(question, typed)
      if (await isUsable(setup, section, { answers, question, value }, io)) given.push([question.key, value])
    }
  }
}

/** By the phone, where it can; else by hand. */
async function answer(dialogue: Dialogue, asked: Omit<Given, 'value'>): Promise<string | undefined> {
  const scanned = asked.question.kind === 'scan' ? await scan(dialogue, asked) : undefined
  return scanned ?? ask(dialogue.io, asked.question)
}

function takeBack(given: [string, SetupValue][], io: CliContext): void {
  if (given.pop() === undefined) io.out('This is the first question.\n')
}

/** Enter takes what is in force. */
function readAnswer(question: SetupQuestion, typed: string): SetupValue {
  return typed === '' ? getDefault(question) : toAnswer(question, typed)
}

interface Given {
  readonly answers: SetupAnswers
  readonly question: SetupQuestion
  readonly value: SetupValue
}

/** Says why not. */
async function isUsable(
  setup: Setup,
  section: string,
  { answers, question: { key }, value }: Given,
  io: CliContext,
): Promise<boolean> {
  const problem = await setup.check(section, { ...answers, [key]: value }, key, io.signal)
  if (problem !== undefined) io.out(`${safeLine(problem)}\n`)
  return problem === undefined
}

/** Shows the code and waits for the phone. Undefined when the person wants to type the answer, or it has to be tried again. */
async function scan(
  { setup, section, io, log }: Dialogue,
  { answers, question }: Omit<Given, 'value'>,
): Promise<string | undefined> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, io.signal])
  try {
    const { address, instructions, answer } = await setup.scan(section, answers, question.key, signal)
    io.out(`${safeLine(instructions)}\n`)
    await printAddress(io, address)
    const typed = io.ask('Waiting for the phone. Enter stops waiting: ', { signal })
    return await Promise.race([answer.then((value) => tellScanned(io, question, value)), typed.then(findWord)])
  } catch (error) {
    io.signal.throwIfAborted()
    logFault(log, 'a phone was not linked', error)
    io.out(`\n${safeLine(errorMessage(error))}\n`)
    return undefined
  } finally {
    stop.abort()
  }
}

function tellScanned(io: CliContext, { title }: SetupQuestion, value: string): string {
  io.out(`\n${safeLine(title)}: ${safeLine(value)}\n`)
  return value
}

/** What ends the wait is no answer yet, except for the words that leave the question. */
function findWord(typed: string | undefined): string | undefined {
  return [BACK, SKIP].find((word) => word === typed?.trim())
}

async function ask(io: CliContext, question: SetupQuestion): Promise<string | undefined> {
  const { title, help, kind, options = [] } = question
  if (help !== undefined) io.out(`${safeLine(help)}\n`)
  for (const [at, { value, title: name, note }] of options.entries()) {
    const shown = name === value ? value : `${value}  ${name}`
    io.out(`${String(at + 1).padStart(4)}  ${safeLine(note === undefined ? shown : `${shown}: ${note}`)}\n`)
  }
  const several = kind === 'choices' ? ', several with commas' : ''
  const typed = await io.ask(
    `${safeLine(title)}${several}${showCurrent(question)}: `,
    kind === 'secret' ? { secret: true } : {},
  )
  return typed?.trim()
}

function showCurrent(question: SetupQuestion): string {
  const { kind, isSet } = question
  if (kind === 'secret') return isSet ? ' [keep the one that is stored]' : ''
  const value = getDefault(question)
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : [value].flat().join(', ')
  return text === '' ? '' : ` [${safeLine(text)}]`
}
