/** The tables of the boards in memory, for the moves of tasks: one world of the explorer. */
import type { MoveTables, NewEvent, RunRow, TaskRow } from '../../../plugins/work/kanban/tables.ts'

/** A worker process, as the operating system sees it. */
export interface Slot {
  readonly state: 'spawned' | 'working' | 'crashed' | 'exited' | 'limited'
  readonly taskId: string
  readonly epoch: number
  readonly nonce: string
}

/** Everything there is: the board, the processes and the clock. */
export interface World {
  now: number
  tasks: Map<string, TaskRow>
  links: readonly { readonly parent: string; readonly child: string }[]
  runs: Map<number, RunRow>
  slots: readonly Slot[]
  dispatcher: { readonly isUp: boolean; readonly claimed?: Slot }
  /** Workers begun for a task since a person last looked after it; those that met a rate limit are not counted. */
  spawns: Readonly<Record<string, number>>
  counter: number
  /** Tasks that were ever created: ids are not used again. */
  created: number
}

export function copyWorld(world: World): World {
  return { ...world, tasks: new Map(world.tasks), runs: new Map(world.runs) }
}

export class MemoryTables implements MoveTables {
  readonly events: NewEvent[] = []
  /** Outcomes of runs that ended. */
  readonly ended: string[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  get now(): number {
    return this.#world.now
  }

  hex(bytes: number): string {
    const count = ++this.#world.counter
    return bytes === 4 ? String.fromCharCode(97 + this.#world.created++) : `n${count}`
  }

  async task(id: string) {
    return this.#world.tasks.get(id)
  }

  async insertTask(row: TaskRow) {
    this.#world.tasks.set(row.id, row)
    return row
  }

  async findByKey() {
    return undefined
  }

  async saveTask(before: TaskRow, changes: Partial<TaskRow>) {
    const row = { ...(this.#world.tasks.get(before.id) as TaskRow), ...changes }
    this.#world.tasks.set(row.id, row)
    return row
  }

  async deleteTask(id: string) {
    this.#world.tasks.delete(id)
    this.#world.links = this.#world.links.filter(({ parent, child }) => parent !== id && child !== id)
  }

  async openParents(id: string) {
    const parents = this.#world.links.filter(({ child }) => child === id).map(({ parent }) => parent)
    return parents.filter((parent) => !['done', 'archived'].includes(this.#world.tasks.get(parent)?.status ?? ''))
  }

  async children(id: string) {
    return this.#world.links.filter(({ parent }) => parent === id).map(({ child }) => child)
  }

  async lockLinks() {}

  async addLink(parent: string, child: string) {
    if (this.#world.links.some((link) => link.parent === parent && link.child === child)) return false
    this.#world.links = [...this.#world.links, { parent, child }]
    return true
  }

  async removeLink(parent: string, child: string) {
    const { length } = this.#world.links
    this.#world.links = this.#world.links.filter((link) => link.parent !== parent || link.child !== child)
    return this.#world.links.length < length
  }

  async waiting() {
    return [...this.#world.tasks.values()]
      .filter(({ status }) => status === 'todo' || status === 'scheduled')
      .map(({ id }) => id)
  }

  async insertRun(row: Omit<RunRow, 'id'>) {
    const run = { ...row, id: ++this.#world.counter }
    this.#world.runs.set(run.id, run)
    return run
  }

  async run(id: number) {
    return this.#world.runs.get(id)
  }

  async saveRun(id: number, changes: Partial<RunRow>) {
    const run = { ...(this.#world.runs.get(id) as RunRow), ...changes }
    if (run.ended_at === null) this.#world.runs.set(id, run)
    else {
      this.#world.runs.delete(id)
      this.ended.push(run.outcome ?? '')
    }
    return run
  }

  async comment() {}

  event(event: NewEvent) {
    this.events.push(event)
  }
}
