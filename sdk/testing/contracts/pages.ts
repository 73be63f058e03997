/** What a page of the web UI and a view as data must keep to, as far as that can be seen without a browser. */
import assert from 'node:assert/strict'
import { readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import type { DashboardPage } from '../../dashboard-pages.ts'
import { isViewBlocks, type SharedView } from '../../shared-views.ts'
import type { ContractCase } from './contract.ts'

/** The cases for a page of `DashboardPages`. @since 0.2 */
export function dashboardPageContract(page: DashboardPage): ContractCase[] {
  return [
    {
      name: 'its files are there and are sent to browsers',
      run: async () => {
        assert.ok(isAbsolute(page.folder), `its folder "${page.folder}" is not an absolute path`)
        await checkFile(page, page.entry, /\.m?js$/)
        if (page.style !== undefined) await checkFile(page, page.style, /\.css$/)
      },
    },
    {
      name: 'its module has a default export',
      run: async () => {
        const text = await readFile(join(page.folder, page.entry), 'utf8')
        assert.match(text, /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b/, `${page.entry} has no default export`)
      },
    },
    {
      name: 'what it uses are routes and methods, and it has a title',
      run: async () => {
        assert.ok(page.title.trim(), 'it has no title')
        for (const route of page.uses?.routes ?? [])
          assert.match(
            route,
            /^(?:GET|POST|PUT|PATCH|DELETE) \/api\/\S+$/,
            `"${route}" is no route: GET /api/sessions/:id`,
          )
        for (const method of page.uses?.methods ?? [])
          assert.match(method, /^[a-z_]+\.[a-z_]+$/, `"${method}" is no method: session.list`)
      },
    },
  ]
}

/** The cases for a view of `SharedViews`. @since 0.2 */
export function sharedViewContract(view: SharedView): ContractCase[] {
  return [
    {
      name: 'shows blocks that are plain data, also where there is no session',
      run: async () => {
        assert.ok(view.title.trim(), 'it has no title')
        const blocks = view.blocks({})
        assert.ok(isViewBlocks(blocks), `it does not return a list of blocks: ${JSON.stringify(blocks)?.slice(0, 200)}`)
        assert.deepEqual(JSON.parse(JSON.stringify(blocks)), blocks, 'its blocks cannot be sent as JSON')
      },
    },
    {
      name: 'takes and ends a listener of changes',
      run: async () => {
        await view.onChange?.(() => undefined)()
      },
    },
  ]
}

async function checkFile({ folder }: DashboardPage, file: string, suffix: RegExp): Promise<void> {
  assert.match(file, suffix, `"${file}" is not sent as what it is`)
  assert.ok(
    file.split('/').every((part) => part !== '' && !part.startsWith('.')),
    `"${file}" is a hidden file, or not below the folder`,
  )
  const path = await realpath(join(folder, file)).catch(() => undefined)
  assert.ok(path !== undefined && (await stat(path)).isFile(), `there is no file "${file}" in ${folder}`)
  assert.ok(path.startsWith((await realpath(folder)) + sep), `"${file}" leads out of the folder`)
}
