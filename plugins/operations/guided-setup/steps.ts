/** The rules of a section: which question comes next, whether an answer can be used, and what is written at the end. */
import { errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { type ConfigEdit, ConfigFile } from 'svc/sdk/host'
import type { Setup, SetupAnswers, SetupQuestion, SetupSection, SetupValue } from 'svc/sdk/operations'

interface Sections {
  all(): readonly SetupSection[]
  get(name: string): SetupSection | undefined
}

type Steps = Omit<Setup, 'sections'>

const AUTHOR = 'svc setup'

export function createSteps(ctx: PluginContext<undefined>, sections: Sections): Steps {
  const listQuestions = async (section: SetupSection, answers: SetupAnswers, signal: AbortSignal) => {
    const questions = await section.questions(answers, signal)
    return Promise.all(questions.map((question) => withCurrent(ctx, question)))
  }
  const check: Steps['check'] = async (name, answers, key, signal) => {
    const section = findSection(sections, name)
    const question = (await listQuestions(section, answers, signal)).find((each) => each.key === key)
    const value = answers[key]
    if (!question) return `The section ${name} has no question ${key}.`
    if (value === undefined) return `${question.title} is not answered.`
    const wrong = findWrongKind(question, value)
    if (wrong !== undefined) return wrong
    if (isEmpty(value) && question.isSet === true) return undefined
    return (await findRefusal(ctx, question, value)) ?? (await section.check?.(question, answers, signal))
  }
  return {
    check,
    async next(name, answers, signal) {
      const questions = await listQuestions(findSection(sections, name), answers, signal)
      return questions.find(({ key }) => !Object.hasOwn(answers, key))
    },
    async write(name, answers, signal) {
      const section = findSection(sections, name)
      const questions = await listQuestions(section, answers, signal)
      for (const { key, title } of questions) {
        if (!Object.hasOwn(answers, key)) throw incomplete(name, `${title} is not answered.`)
        const problem = await check(name, answers, key, signal)
        if (problem !== undefined) throw incomplete(name, problem)
      }
      const unknown = Object.keys(answers).find((key) => !questions.some((question) => question.key === key))
      if (unknown !== undefined) throw incomplete(name, `It has no question ${unknown}.`)
      const edits = [
        ...questions.flatMap((each) => listEdits(each, answers[each.key] as SetupValue)),
        ...(section.edits?.(answers) ?? []),
      ]
      return ctx.use(ConfigFile).write(edits, { author: AUTHOR, reason: `svc setup ${name}` })
    },
    async scan(name, answers, key, signal) {
      const section = findSection(sections, name)
      const question = (await listQuestions(section, answers, signal)).find((each) => each.key === key)
      if (question?.kind === 'scan' && section.scan) return section.scan(question, answers, signal)
      throw new SvcError('SETUP_SCAN', `The section ${name} has no question ${key} that a phone answers.`, {
        status: 404,
      })
    },
    async conclude(name, answers, signal) {
      const section = findSection(sections, name)
      try {
        return (await section.conclude?.(answers, signal)) ?? []
      } catch (error) {
        signal.throwIfAborted()
        logFault(ctx.log, 'what follows a section of the setup failed', error)
        return [{ text: errorMessage(error), isProblem: true }]
      }
    },
  }
}

/** Throws `SETUP_SECTION`. */
export function findSection(sections: Sections, name: string): SetupSection {
  const found = sections.get(name)
  if (found) return found
  const names = sections.all().map((section) => section.name)
  throw new SvcError('SETUP_SECTION', `There is no section "${name}". There are: ${names.join(', ')}.`, { status: 404 })
}

/** What is in force at its path, unless the section says it. */
async function withCurrent(ctx: PluginContext<undefined>, question: SetupQuestion): Promise<SetupQuestion> {
  const { path, kind } = question
  if (path === undefined || question.current !== undefined || question.isSet !== undefined) return question
  const { value, written, default: preset } = await ctx.use(ConfigFile).read(path)
  if (kind === 'secret') return { ...question, isSet: written !== undefined && written !== '' }
  const current = toValue(value ?? preset, kind)
  return current === undefined ? question : { ...question, current }
}

function toValue(value: unknown, kind: SetupQuestion['kind']): SetupValue | undefined {
  if (kind === 'confirm') return typeof value === 'boolean' ? value : undefined
  if (kind === 'choices') return Array.isArray(value) ? value.map(String) : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** What is wrong with an answer by its question alone. */
function findWrongKind(question: SetupQuestion, value: SetupValue): string | undefined {
  const { kind, title, options = [], isOptional, isSet } = question
  const known = options.map((option) => option.value)
  if (kind === 'confirm') return typeof value === 'boolean' ? undefined : `${title} is answered with yes or no.`
  if (kind === 'choices') {
    const stray = Array.isArray(value) ? value.find((each) => !known.includes(each)) : ''
    return stray === undefined ? undefined : `"${stray}" is not one of: ${known.join(', ')}.`
  }
  if (typeof value !== 'string') return `${title} is answered with a text.`
  if (value === '' && (isOptional || isSet)) return undefined
  if (value === '') return `${title} needs an answer.`
  if (kind === 'choice' && !known.includes(value)) return `"${value}" is not one of: ${known.join(', ')}.`
  return undefined
}

/** What the owner of the path says of it. */
async function findRefusal(
  ctx: PluginContext<undefined>,
  question: SetupQuestion,
  value: SetupValue,
): Promise<string | undefined> {
  const edits = listEdits(question, value)
  if (edits.length === 0) return undefined
  try {
    await ctx.use(ConfigFile).checkEdits(edits)
    return undefined
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return errorMessage(error)
  }
}

function listEdits({ path, isSet, current }: SetupQuestion, value: SetupValue): ConfigEdit[] {
  if (path === undefined || (isEmpty(value) && isSet === true)) return []
  // What is in force stays unwritten, so that a later default can replace it.
  if (JSON.stringify(value) === JSON.stringify(current)) return []
  if (value === '') return [{ path, value: undefined }]
  return [{ path, value, ...(typeof value === 'string' && { typed: true as const }) }]
}

function isEmpty(value: SetupValue): boolean {
  return value === ''
}

function incomplete(section: string, problem: string): SvcError {
  return new SvcError('SETUP_INCOMPLETE', `The section ${section} was not written. ${problem}`, { status: 400 })
}
