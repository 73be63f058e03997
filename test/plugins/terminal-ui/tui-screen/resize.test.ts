import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, lacksTmux, type Pane, startTmux, type Tmux } from './tmux.ts'

const absent = process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : lacksTmux()
let tmux: Tmux

beforeAll(async () => {
  if (!absent) tmux = await startTmux()
})
afterAll(() => tmux?.[Symbol.asyncDispose]())

/** Sizes that come again in each run. */
function sizes(count: number): [number, number][] {
  let seed = 7
  const next = (most: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return 1 + ((seed >> 8) % most)
  }
  return Array.from({ length: count }, () => [next(120), next(40)])
}

/** Sizes one after the other as fast as tmux takes them, over one connection. */
async function resizeAll(all: readonly (readonly [number, number])[]): Promise<void> {
  const lines = all.map(([columns, rows]) => `resize-window -t size -x ${columns} -y ${rows}\n`)
  const control = spawn('tmux', ['-S', `${tmux.folder}/socket`, '-C', 'attach', '-t', 'main'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => control.on('exit', resolve))
  for (const line of lines) control.stdin.write(line)
  control.stdin.end('detach-client\n')
  await ended
}

function plain(pane: Pane): string {
  return pane.capture().replace(/\x1b\[[\d;]*m/g, '')
}

describe.skipIf(absent)(`a terminal that changes its size${absent ? ` (skipped: ${absent})` : ''}`, () => {
  test('five hundred times shows what a fresh draw shows', async () => {
    const pane = tmux.open('size', '$PROGRAM')
    await pane.until('ready')
    const all = sizes(500)
    for (let from = 0; from < all.length; from += 50) {
      const [columns, rows] = all[from + 49] ?? [1, 1]
      await resizeAll(all.slice(from, from + 50))
      await eventually(() => pane.state('#{pane_width}x#{pane_height}') === `${columns}x${rows}`)
      await eventually(() => plain(pane).startsWith(`size ${columns}x${rows}`.slice(0, columns)))
      const grown = pane.capture()
      const cursor = pane.state('#{cursor_flag} #{cursor_x} #{cursor_y}')
      pane.type('fp')
      await pane.until('pictured', from / 50 + 1)
      await eventually(() => pane.capture() === grown)
      expect(pane.capture()).toBe(grown)
      if (cursor.startsWith('1')) expect(pane.state('#{cursor_flag} #{cursor_x} #{cursor_y}')).toBe(cursor)
    }
    pane.type('q')
    expect(await pane.until('left')).toBe('same')
  })
})
