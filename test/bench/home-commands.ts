/** Every command that reads the home, and the screen of sessions: `ours` with 20,000 conversations, `bare` with a hundred. */
import { type Bench, svc } from './bench.ts'
import { wallMs } from './child.ts'
import { compare } from './compare.ts'
import { sessionId } from './home-fill.ts'
import { Pty } from './pty.ts'
import { createRow, type Row } from './row.ts'
import { LAST_WORDS } from './scenario.ts'

/** Commands are slow and steady: a third of the runs is enough. */
const SHARE = 3
const CTRL_X = '\x18'
const WAITS = 'Ask something'

export interface Homes {
  readonly full: Bench
  readonly few: Bench
}

/** Arguments, and a part of what is printed. */
const commands: readonly (readonly [string, readonly string[], string])[] = [
  ['sessions list', ['sessions', 'list'], 'bench_'],
  ['sessions list by folder', ['sessions', 'list', '--cwd', '/work/0'], 'bench_'],
  ['sessions list by title', ['sessions', 'list', '--title', 'talk 0'], 'bench_'],
  ['sessions search', ['sessions', 'search', 'harbour'], ''],
  ['sessions show', ['sessions', 'show', sessionId(0)], 'harbour'],
  ['sessions stats', ['sessions', 'stats'], ''],
  ['sessions export of one', ['sessions', 'export', sessionId(0)], 'harbour'],
  ['sessions prune --dry-run', ['sessions', 'prune', '--older-than', '3000d', '--dry-run'], ''],
  ['usage', ['usage'], ''],
  ['approvals list', ['approvals', 'list'], ''],
  ['checkpoints list', ['checkpoints', 'list'], ''],
  ['outbox list', ['outbox', 'list'], ''],
  ['storage list', ['storage', 'list'], ''],
  ['doctor', ['doctor'], ''],
  ['chat -q', ['chat', '-q', 'hi'], LAST_WORDS],
  ['chat -c -q', ['chat', '-c', '-q', 'hi'], LAST_WORDS],
]

export async function measureCommands(homes: Homes): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, args, prints] of commands) {
    homes.full.progress(`svc ${name} with 20,000 conversations`)
    const run = (bench: Bench) => async () => {
      const program = svc(bench, args, prints)
      return { ms: (await bench.model.play({ rounds: 0, deltas: 1 }, () => wallMs(program))).result }
    }
    rows.push(await row(name, homes, run))
  }
  homes.full.progress('the screen of sessions')
  return [...rows, await row('Ctrl-X in a terminal', homes, (bench) => () => openScreen(bench))]
}

async function row(name: string, { full, few }: Homes, run: (bench: Bench) => () => Promise<{ ms: number }>) {
  const comparison = await compare({ bare: run(few), ours: run(full) }, Math.ceil(full.runs / SHARE))
  const values = createRow(`${name}, 20,000 conversations`, 'ms', comparison.series('ms'), { max: 1.5, of: 'bare' })
  return { ...values, failures: comparison.failures }
}

/** From the key to the list. */
async function openScreen(bench: Bench): Promise<{ ms: number }> {
  const pty = new Pty(bench.root, svc(bench, ['chat'], ''))
  try {
    await pty.hears(WAITS)
    const typed = performance.now()
    pty.type(CTRL_X)
    await pty.hears('talk ')
    return { ms: performance.now() - typed }
  } finally {
    await pty.stop()
  }
}
