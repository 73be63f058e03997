/** Boards themselves: which there are, which is in use, and what they are like. */
import { type Secrets, SvcError } from 'svc/sdk'
import type { Board, BoardChanges } from 'svc/sdk/kanban'
import type { Sql } from 'svc/sdk/store'
import { type BoardStore, boardUnknown, DEFAULT_BOARD, insertBoard, type Transaction } from './board-store.ts'
import { checkBoard, checkSlug, SLUG } from './input.ts'
import { toBoard } from './records.ts'
import type { BoardsTable } from './tables.ts'

const CURRENT = 'current'

export interface BoardListDeps {
  readonly store: BoardStore
  readonly secrets: () => Secrets
}

export class BoardList {
  readonly #deps: BoardListDeps

  constructor(deps: BoardListDeps) {
    this.#deps = deps
  }

  async list({ archived = false }: { readonly archived?: boolean } = {}): Promise<readonly Board[]> {
    const { query, sql } = await this.#deps.store.open()
    const rows = await query.selectFrom('boards').selectAll().orderBy('slug').execute()
    const spent = await query
      .selectFrom('tasks')
      .select((is) => ['board', is.fn.sum<number>('spent_usd').as('usd')])
      .where(hasSpent(sql))
      .groupBy('board')
      .execute()
    return rows
      .filter(({ is_archived }) => archived || is_archived === 0)
      .map((row) => toBoard(row, Number(spent.find(({ board }) => board === row.slug)?.usd ?? 0)))
  }

  async find(slug: string | undefined): Promise<Board> {
    const name = await this.resolve(slug)
    const { query, sql } = await this.#deps.store.open()
    const found = await query.selectFrom('boards').selectAll().where('slug', '=', name).executeTakeFirst()
    if (!found) throw boardUnknown(name)
    const tasks = query.selectFrom('tasks').where('board', '=', name).where(hasSpent(sql))
    const { usd } = await tasks.select((is) => is.fn.sum<number>('spent_usd').as('usd')).executeTakeFirstOrThrow()
    return toBoard(found, Number(usd ?? 0))
  }

  /** The named board; else that of the environment, the one in use, the default one: what does not exist is passed over there. */
  async resolve(slug: string | undefined): Promise<string> {
    const { query } = await this.#deps.store.open()
    const exists = async (name: string) =>
      SLUG.test(name) &&
      (await query.selectFrom('boards').select('slug').where('slug', '=', name).executeTakeFirst()) !== undefined
    if (slug !== undefined) {
      if (await exists(slug)) return slug
      throw boardUnknown(slug)
    }
    const wanted = this.#deps.secrets().get('SVC_KANBAN_BOARD')
    if (wanted !== undefined && (await exists(wanted))) return wanted
    const current = await query.selectFrom('settings').select('value').where('name', '=', CURRENT).executeTakeFirst()
    return current && (await exists(current.value)) ? current.value : DEFAULT_BOARD
  }

  async create({ slug, ...changes }: BoardChanges & { readonly slug: string }): Promise<Board> {
    checkSlug(slug)
    checkBoard(changes)
    await this.#deps.store.change(async ({ tx, tables }) => {
      if (!(await insertBoard(tx, { slug, name: changes.name ?? slug, now: tables.now })))
        throw new SvcError('KANBAN_INPUT', `There is a board ${slug} already.`)
      await write(tx, slug, changes)
    })
    return this.find(slug)
  }

  async change(slug: string, changes: BoardChanges): Promise<Board> {
    checkBoard(changes)
    await this.resolve(slug)
    await this.#deps.store.change(({ tx }) => write(tx, slug, changes))
    return this.find(slug)
  }

  async use(slug: string): Promise<void> {
    await this.resolve(slug)
    await this.#deps.store.change(async ({ tx }) => {
      const row = { name: CURRENT, value: slug }
      await tx
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: slug }))
        .execute()
    })
  }

  async remove(slug: string): Promise<void> {
    if (slug === DEFAULT_BOARD)
      throw new SvcError('KANBAN_REFUSED', 'The board default cannot be removed: it is used where no other is named.')
    await this.resolve(slug)
    await this.#deps.store.change(async ({ tx, tables }) => {
      const tasks = await tx.selectFrom('tasks').select(['id', 'status']).where('board', '=', slug).execute()
      const running = tasks.filter(({ status }) => status === 'running').length
      if (running > 0)
        throw new SvcError(
          'KANBAN_REFUSED',
          `${running} tasks of ${slug} are running: take them back first, then remove it.`,
        )
      for (const { id } of tasks) await tables.deleteTask(id)
      await tx.deleteFrom('boards').where('slug', '=', slug).execute()
    })
  }
}

/** As the index of what was spent has it: most tasks of a board spent nothing yet, and are not looked at. */
export function hasSpent(sql: Sql) {
  return sql<boolean>`spent_usd <> 0`
}

async function write(tx: Transaction, slug: string, changes: BoardChanges): Promise<void> {
  const { name, description, icon, color, defaultWorkdir, budgetUsd, isArchived } = changes
  const columns: Partial<BoardsTable> = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
    ...(defaultWorkdir !== undefined && { default_workdir: defaultWorkdir }),
    ...(budgetUsd !== undefined && { budget_usd: budgetUsd }),
    ...(isArchived !== undefined && { is_archived: isArchived ? 1 : 0 }),
  }
  if (Object.keys(columns).length > 0) await tx.updateTable('boards').set(columns).where('slug', '=', slug).execute()
}
