/** Emoji whose width a real terminal sees otherwise than svc: what stands behind them keeps its column. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Glyphs } from '../../../../plugins/terminal-ui/tui-screen/glyphs.ts'
import { Painter } from '../../../../plugins/terminal-ui/tui-screen/painter.ts'
import { layout, skin } from './support.ts'
import { eventually, lacksTmux, startTmux } from './tmux.ts'

const absent = process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : lacksTmux()
const COLUMNS = 40
const CLUSTERS = ['❤️', '☎️', '⚠️', '1️⃣', '❤︎', '👍🏽', '🇩🇪', '👨‍👩‍👧', '🏳️‍🌈', '👨‍👩‍👧‍👦']

test.skipIf(absent)(
  'what stands behind an emoji keeps its column in tmux, also when only that is drawn again',
  async () => {
    const tmux = await startTmux()
    onTestFinished(() => tmux[Symbol.asyncDispose]())
    const painter = new Painter(new Glyphs(layout), 16777216, skin)
    const rows = CLUSTERS.length + 1
    const paint = (end: string) => {
      const texts = [...CLUSTERS.map((cluster) => `${cluster} ok ${cluster}${end}`), end === '|third' ? 'done' : '']
      return painter.paint({ lines: texts.map((text) => [{ text }]) }, COLUMNS, rows)
    }
    // As the screen sets it: lines do not wrap.
    const drawn = `\x1b[?7l${paint('|first')}${paint('|second')}${paint('|third')}`
    // The same, each part at a column that is named.
    const placed = CLUSTERS.flatMap((cluster, row) => {
      const width = layout.width(cluster)
      const at = (column: number, text: string) => `\x1b[${row + 1};${column + 1}H${text}`
      return [at(0, cluster), at(width, ' ok '), at(width + 4, cluster), at(2 * width + 4, '|third')]
    })
    const seen = async (name: string, bytes: string) => {
      const file = join(tmux.folder, name)
      writeFileSync(file, bytes)
      tmux.open(name, `cat ${file}; exec sleep 1000`, [COLUMNS, rows])
      const text = () => tmux.run('capture-pane', '-p', '-t', name)
      await eventually(() => text().includes('done'))
      return text()
    }
    const reference = `\x1b[?7l${placed.join('')}\x1b[${rows};1Hdone`
    expect(await seen('drawn', drawn)).toBe(await seen('placed', reference))
  },
)
