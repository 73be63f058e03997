/** The one decision: blocked, asked about, or allowed. Imported at the first call that does something. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { DecisionQuestion, ToolActions } from 'svc/sdk'
import type { ShellCommandAnalysis, ShellCommandRisk } from 'svc/sdk/shell'
import { matchesGlob } from './glob.ts'
import { dangerSubject, exactSubject, toolSubject } from './subjects.ts'
import { type Knower, NOT_UNDERSTOOD, readUnconfinedCommand, type Unconfined } from './unconfined.ts'

/** What a call would do, and where. */
export interface ProposedAction {
  readonly tool: { readonly name: string; readonly description: string }
  /** Its acts; `cwd` is absolute. */
  readonly acts: ToolActions & { readonly cwd: string }
  /** The input, for a call that does not declare what it reaches. */
  readonly input: unknown
  /** Where the session works. */
  readonly project: string
  readonly sessionId: string
  /** Variables that earlier commands set in the same shell. */
  readonly variables?: ReadonlyMap<string, readonly string[]>
  /** Whether the session changed a file; left out where that is not known of all files. */
  readonly wasWritten?: (path: string) => boolean
  /** The tool says what it reaches at most. */
  readonly isDeclared: boolean
  /** Nothing outside of an isolated place can be reached: patterns are not asked about. */
  readonly isIsolated: boolean
}

/** The rules in force. */
export interface Rules {
  readonly deny: readonly string[]
  readonly allow: readonly string[]
  /** What is done about commands that are not understood where nothing confines them. */
  readonly unknown: 'ask' | 'allow'
}

/** Who knows commands. */
export interface Judges {
  readonly risks: ShellCommandAnalysis
  readonly knowledge: Knower
}

/** What a question is about, beyond what a person is shown. */
export interface PendingQuestion {
  readonly question: DecisionQuestion & { readonly hash: string }
  /** Names of patterns. */
  readonly patterns: readonly string[]
  /** Of a command that only fits patterns: without comments, and the commands in it as they would be run. */
  readonly review?: { readonly command: string; readonly runs: readonly string[] }
}

export type Judgement = {
  readonly risk?: ShellCommandRisk
  /** What the command writes is known. */
  readonly isUnderstood?: boolean
} & (
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'blocked'; readonly reason: string }
  | ({ readonly verdict: 'ask' } & PendingQuestion)
)

/** One reason to ask. */
interface Worry {
  readonly name: string
  readonly why: string
  /** Left out: an answer holds once. */
  readonly subjects?: readonly string[]
  readonly covers?: string
  /** The text to approve, if it is not the command. */
  readonly action?: string
}

/** Order: hard line, deny list, allow list, patterns. Modes and grants apply if a person would be asked. */
export async function judge(action: ProposedAction, rules: Rules, judges: Judges): Promise<Judgement> {
  const risk = await assessRisk(action, judges)
  const hash = hashAction(action, risk)
  const files = await fileWorries(action, rules, judges.risks)
  const blocked = (risk && blockedCommand(risk, rules)) ?? files.blocked
  if (blocked !== undefined) return { verdict: 'blocked', reason: blocked }
  const patterns = risk ? commandWorries(action, rules, risk, hash) : []
  const reading = risk && (await createReading(action, rules, judges))
  const unknown = reading && risk ? unknownWorries(reading, action, rules, risk, patterns, hash) : []
  const rest = [...files.worries, ...ownWorries(action)]
  const worries = [...patterns, ...unknown, ...rest]
  const found = { ...(risk && { risk }), ...(reading?.isUnderstood && { isUnderstood: true }) }
  if (worries.length === 0) return { verdict: 'allowed', ...found }
  return {
    verdict: 'ask',
    ...found,
    question: createQuestion(action, worries, hash, risk?.simple ?? true),
    patterns: worries.map(({ name }) => name),
    ...(rest.length === 0 && createReview(action, risk)),
  }
}

async function assessRisk(
  { acts, sessionId, variables }: ProposedAction,
  { risks }: Judges,
): Promise<ShellCommandRisk | undefined> {
  const { command, shell, cwd } = acts
  if (command === undefined) return undefined
  return risks.command(command, { cwd, sessionId, ...(variables && { variables }), ...(shell && { shell }) })
}

/** A model may judge a command, but not files or the questions of a tool. */
function createReview(
  { acts: { command } }: ProposedAction,
  risk: ShellCommandRisk | undefined,
): Pick<PendingQuestion, 'review'> {
  if (!risk || command === undefined) return {}
  return { review: { command: risk.uncommented ?? command, runs: risk.spellings.slice(1) } }
}

function blockedCommand(risk: ShellCommandRisk, rules: Rules): string | undefined {
  if (risk.never !== undefined) return `this ${risk.never}, which no setting and no answer allows`
  const texts = [...risk.spellings, risk.text]
  return explainDenied(rules.deny.find((glob) => texts.some((text) => matchesGlob(glob, text))))
}

function explainDenied(glob: string | undefined): string | undefined {
  return glob === undefined ? undefined : `approvals.deny in config.yaml forbids "${glob}"`
}

const isListed = (rules: Rules, risk: ShellCommandRisk) =>
  risk.simple && rules.allow.some((glob) => matchesGlob(glob, risk.text))

/** Where a command is confined, only what may be written there is at stake. */
function commandWorries(action: ProposedAction, rules: Rules, risk: ShellCommandRisk, hash: string): Worry[] {
  if (action.isIsolated || isListed(rules, risk)) return []
  const { confined, cwd } = action.acts
  return risk.dangers
    .filter(({ harm }) => confined === undefined || harm === undefined || harm === 'project')
    .map(({ name, why, targets = [] }) =>
      targets.length > 0
        ? {
            name,
            why,
            subjects: targets.map((target) => dangerSubject(name, target)),
            covers: `every command that ${why}, in ${targets.join(', ')} and below`,
          }
        : { name, why, subjects: [exactSubject(hash)], covers: `exactly this command in ${cwd}` },
    )
}

/** Nothing holds it, so a command runs unasked only if all of it is understood. Undefined where that does not matter. */
async function createReading(
  { acts: { command, confined, cwd }, isIsolated, project, sessionId, wasWritten }: ProposedAction,
  rules: Rules,
  { knowledge }: Judges,
): Promise<Unconfined | undefined> {
  if (command === undefined || confined || isIsolated || rules.unknown === 'allow') return undefined
  return readUnconfinedCommand(command, { cwd, project, sessionId, ...(wasWritten && { wasWritten }) }, knowledge)
}

/** Of one command, a pattern says in better words the one thing that is not understood. */
function unknownWorries(
  { worries, unknown }: Unconfined,
  { acts: { cwd } }: ProposedAction,
  rules: Rules,
  risk: ShellCommandRisk,
  patterns: readonly Worry[],
  hash: string,
): Worry[] {
  if (isListed(rules, risk)) return []
  const isSaid = patterns.length > 0 && risk.simple && unknown <= 1
  const lasting = { subjects: [exactSubject(hash)], covers: `exactly this command in ${cwd}` }
  return worries.filter(({ name }) => !isSaid || name !== NOT_UNDERSTOOD).map((worry) => ({ ...worry, ...lasting }))
}

/** One call may write several files: one that may not be written forbids all, and those that matter are asked about together. */
async function fileWorries(
  { tool, acts: { writes = [], cwd, environment }, isIsolated }: ProposedAction,
  rules: Rules,
  risks: ShellCommandAnalysis,
): Promise<{ readonly blocked?: string; readonly worries: readonly Worry[] }> {
  const worries: Worry[] = []
  for (const path of writes) {
    const file = path.startsWith('~') ? path : resolve(cwd, path)
    // A file elsewhere is named with its environment: what is allowed for a path of this machine is not allowed for it.
    const named = environment === undefined ? file : `${environment}:${file}`
    const text = `${tool.name} ${named}`
    const texts = [text, `${tool.name} ${file}`]
    const denied = explainDenied(rules.deny.find((glob) => texts.some((each) => matchesGlob(glob, each))))
    if (denied !== undefined) return { blocked: denied, worries: [] }
    const why = await risks.write(path, cwd)
    if (why === undefined || isIsolated || rules.allow.some((glob) => matchesGlob(glob, text))) continue
    // One answer for several files would be given without a look at each.
    const lasting = writes.length === 1 && { subjects: [`file:${named}`], covers: `every write of ${named}` }
    worries.push({ name: 'sensitive-file', why, action: text, ...lasting })
  }
  return { worries }
}

function ownWorries({ tool, acts: { ask }, isDeclared, isIsolated }: ProposedAction): Worry[] {
  const own = ask && { name: 'asked-by-tool', why: ask.reason }
  const lasting = ask?.subjects && { subjects: ask.subjects, covers: ask.covers ?? ask.subjects.join(', ') }
  const { name, description } = tool
  const undeclared = {
    name: 'undeclared-reach',
    why: 'does not say what it reaches',
    subjects: [toolSubject(name, description)],
    covers: `every call of the tool ${name}, whatever it does`,
  }
  return [...(own ? [{ ...own, ...lasting }] : []), ...(isDeclared || isIsolated ? [] : [undeclared])]
}

function createQuestion(
  { acts: { command, ask } }: ProposedAction,
  worries: readonly Worry[],
  hash: string,
  isSimple: boolean,
): PendingQuestion['question'] {
  const action = [ask?.action ?? command, ...worries.map(({ action: each }) => each)]
    .filter((each) => each !== undefined)
    .join('\n')
  const isLasting = isSimple && worries.every(({ subjects }) => subjects !== undefined)
  const unique = (texts: readonly string[]) => [...new Set(texts)]
  return {
    reason: unique(worries.map(({ why }) => why)).join('; '),
    ...(action !== '' && { action }),
    ...(ask?.choices && { choices: ask.choices }),
    ...(isLasting && {
      subjects: unique(worries.flatMap(({ subjects = [] }) => subjects)),
      covers: unique(worries.map(({ covers = '' }) => covers)).join('; and '),
    }),
    hash,
  }
}

/** Bound to tool, command, files, folder and the variables that it reads. */
function hashAction(
  { tool, acts: { command, writes = [], cwd, ask, environment }, input }: ProposedAction,
  risk: ShellCommandRisk | undefined,
): string {
  const isPlain = command !== undefined || writes.length > 0
  const rest = isPlain ? [...(risk?.read ?? [])].flat() : [JSON.stringify(input) ?? '']
  const own = ask === undefined ? [] : [ask.hash ?? `${ask.action ?? ''} ${ask.reason}`]
  const parts = [
    tool.name,
    command ?? '',
    ...writes,
    cwd,
    ...rest,
    ...own,
    ...(environment === undefined ? [] : [environment]),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
