/** Due work at one PostgreSQL that one and four processes take: `bare` locks rows over `pg`, `ours` is a queue and a board. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { missingPostgres, Postgres } from '../support/postgres.ts'
import { type Bench, getBaselineFolder } from './bench.ts'
import { compare, type Sample } from './compare.ts'
import { createRow, type Row } from './row.ts'

const ITEMS = 1000
/** A sample takes seconds. */
const MAX_ROUNDS = 5
const GATEWAYS = [1, 4]

export async function measureStore(bench: Bench): Promise<Row[]> {
  const missing = missingPostgres()
  if (missing !== undefined) {
    bench.progress(`nothing of the shared store: ${missing}`)
    return []
  }
  bench.progress(`${ITEMS} due items at a PostgreSQL server`)
  const server = await Postgres.start()
  try {
    const stage = new Stage(bench, server)
    return [...(await measureKind(stage, 'queue', bench.runs)), ...(await measureKind(stage, 'board', bench.runs))]
  } finally {
    await server.stop()
  }
}

type Kind = 'queue' | 'board'
const WORK: Readonly<Record<Kind, string>> = { queue: 'a due item of a queue', board: 'a due task of a board' }

async function measureKind(stage: Stage, kind: Kind, runs: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of GATEWAYS) {
    const comparison = await compare(
      { bare: () => stage.bare(count), ours: () => stage.ours(kind, count) },
      Math.min(runs, MAX_ROUNDS),
    )
    const work = `${WORK[kind]}, ${count} ${count === 1 ? 'gateway' : 'gateways'}`
    rows.push({ ...createRow(work, 'ms', comparison.series('ms')), failures: comparison.failures })
  }
  return rows
}

/** A server, and what works at it. */
class Stage {
  readonly #bench: Bench
  readonly #server: Postgres
  #count = 0

  constructor(bench: Bench, server: Postgres) {
    this.#bench = bench
    this.#server = server
  }

  async bare(gateways: number): Promise<Sample> {
    const schema = `bare${++this.#count}`
    await this.#server.query(
      `create schema ${schema};
       create table ${schema}.items (id serial primary key, state text not null default 'due', holder integer);
       create table ${schema}.done (item integer not null);
       create index on ${schema}.items (id) where state = 'due';
       insert into ${schema}.items select from generate_series(1, ${ITEMS})`,
    )
    const args = [join(getBaselineFolder(this.#bench), 'bare-store.mjs'), this.#server.url, schema]
    return this.#work(gateways, args)
  }

  async ours(kind: Kind, gateways: number): Promise<Sample> {
    const script = join(getBaselineFolder(this.#bench), 'ours-store.mjs')
    const args = [script, this.#bench.installed, this.#server.url, `b${++this.#count}`, kind]
    const [code] = await once(spawn(process.execPath, [...args, String(ITEMS)], { stdio: ['ignore', 2, 2] }), 'exit')
    if (code !== 0) throw new Error('the items could not be made')
    return this.#work(gateways, args)
  }

  /** Milliseconds for each item, from the moment at which all processes are ready until all have found nothing more. */
  async #work(gateways: number, args: readonly string[]): Promise<Sample> {
    const workers = Array.from({ length: gateways }, () => new Worker(args))
    try {
      await Promise.all(workers.map((worker) => worker.read('ready')))
      const started = performance.now()
      for (const worker of workers) worker.go()
      await Promise.all(workers.map((worker) => worker.read('done')))
      return { ms: (performance.now() - started) / ITEMS }
    } finally {
      for (const worker of workers) worker.kill()
    }
  }
}

/** A process that says `ready`, waits for a line, and says `done`. */
class Worker {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(args: readonly string[]) {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  }

  go(): void {
    this.#child.stdin?.write('go\n')
  }

  async read(word: string): Promise<void> {
    const { value, done } = await this.#lines.next()
    if (done || value !== word) throw new Error(`a worker said ${done ? 'nothing' : value} in place of ${word}`)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
