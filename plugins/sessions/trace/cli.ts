/** `svc why`: what became of a message. */
import { type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import { findTurn, type JournalDeps, type JournalLine, printable, readJournal } from './journal.ts'
import type { KnownStage, TraceStore } from './store.ts'

const MAX_SHOWN = 5

/** A trace with what the journal adds to it. */
interface TracedMessage {
  readonly trace: string
  readonly stages: readonly (KnownStage & { readonly turn?: readonly JournalLine[] })[]
  /** What went wrong last; undefined when nothing did. */
  readonly cause?: string
  /** Other messages with the same id: platforms count in each chat. */
  readonly others?: readonly string[]
}

export function createWhyCommand(store: TraceStore, journal: JournalDeps): CliCommand {
  return {
    name: 'why',
    description: 'Show what became of a message or a turn, stage by stage, with the reasons',
    arguments: '<id>',
    options: [{ flags: '--json', description: 'As JSON' }],
    examples: ['why 1f0c9a2e', 'why last', 'why turn_41c7d5923ff88006 --json'],
    async run({ args, options }, io) {
      const told = tell(store, journal, args[0]?.trim() ?? '')
      if (options['json'] === true) io.out(`${JSON.stringify(told)}\n`)
      else print(told, io)
    },
  }
}

function tell(store: TraceStore, journal: JournalDeps, name: string): TracedMessage {
  const id = name === 'last' ? (findTurn(journal.sessions(), name)?.turnId ?? name) : name
  const found = store.find(id)
  const [trace] = found
  if (trace === undefined) {
    const turn = traceTurn(journal, id)
    if (turn) return turn
    throw unknown(store, id)
  }
  const stages = store.stages(trace)
  const isExact = trace === id || stages.some(({ ids }) => ids.includes(id))
  if (found.length > 1 && !isExact) {
    const some = found.slice(0, MAX_SHOWN).map(printable).join(', ')
    throw new SvcError(
      'TRACE_AMBIGUOUS',
      `Several messages have an id that begins with ${printable(id)}: ${some}. Write more of it.`,
    )
  }
  const lines = readJournal(journal, [trace, ...stages.flatMap(({ ids }) => ids)])
  const cause = findCause(lines)
  return {
    trace,
    stages: withTurns(stages, lines),
    ...(cause !== undefined && { cause }),
    ...(found.length > 1 && { others: found.slice(1) }),
  }
}

/** A turn that no chat platform brought: of a terminal, of the API, or of a job. */
function traceTurn(journal: JournalDeps, name: string): TracedMessage | undefined {
  const turn = findTurn(journal.sessions(), name)
  if (!turn) return undefined
  const { turnId, surface, sessionId, at } = turn
  const lines = readJournal(journal, [sessionId, turnId])
  const cause = findCause(lines)
  const stage = { at, stage: 'turn', text: `through ${surface}, in session ${sessionId}`, ids: [], turn: lines }
  return { trace: turnId, stages: [stage], ...(cause !== undefined && { cause }) }
}

/** Lines of a turn stand below the stage that named it, else below the last one. */
function withTurns(stages: readonly KnownStage[], lines: readonly JournalLine[]): TracedMessage['stages'] {
  const places = new Map<string, number>()
  for (const { turnId } of lines) {
    const at = stages.findIndex(({ ids }) => ids.includes(turnId))
    places.set(turnId, at < 0 ? stages.length - 1 : at)
  }
  return stages.map((stage, at) => {
    const turn = lines.filter(({ turnId }) => places.get(turnId) === at)
    return turn.length > 0 ? { ...stage, turn } : stage
  })
}

/** The last trouble that is more than how the turn ended. */
function findCause(lines: readonly JournalLine[]): string | undefined {
  const troubles = lines.filter(({ isTrouble }) => isTrouble)
  return (troubles.findLast(({ isEnd }) => !isEnd) ?? troubles.at(-1))?.text
}

function unknown(store: TraceStore, id: string): SvcError {
  const newest = store
    .newest(MAX_SHOWN)
    .map(({ trace, at, stage }) => `  ${printable(trace)}  ${formatTime(at)}  ${printable(stage)}`)
  const known = newest.length ? `The newest are:\n${newest.join('\n')}` : 'No message was noted yet.'
  return new SvcError('TRACE_UNKNOWN', `No message with the id "${printable(id)}" is known. ${known}`, { status: 404 })
}

function print({ trace, stages, cause, others = [] }: TracedMessage, io: CliContext): void {
  const start = stages[0]?.at ?? 0
  const width = Math.max(...stages.map(({ stage }) => stage.length))
  io.out(`${printable(trace)}\n`)
  for (const { at, stage, text, turn = [] } of stages) {
    const after = `+${((at - start) / 1000).toFixed(1)}s`.padStart(8)
    io.out(`${formatTime(at)} ${after}  ${printable(stage).padEnd(width)}  ${printable(text)}\n`)
    for (const line of turn) io.out(`${' '.repeat(31)}  ${line.isTrouble ? '!' : '·'} ${line.text}\n`)
  }
  const last = stages.length > 1 ? stages.at(-1) : undefined
  if (last) io.out(`It ended here: ${printable(last.stage)}, ${printable(last.text)}\n`)
  if (cause !== undefined) io.out(`What went wrong: ${cause}\n`)
  if (others.length > 0)
    io.out(`Other messages have this id, too: ${others.slice(0, MAX_SHOWN).map(printable).join(', ')}\n`)
}

function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}
