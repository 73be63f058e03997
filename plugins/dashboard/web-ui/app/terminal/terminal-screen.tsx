/** A terminal of the server: its screen (xterm.js) and what became of its connection. */
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { RotateCcw } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../client/language.ts'
import { Button } from '../ui/parts.tsx'
import { CLOSED, type LinkState, TerminalLink } from './terminal-link.ts'

/** Fixed: programs choose their colours for a dark screen, whatever the page looks like. */
const theme = { background: '#0f1117', foreground: '#e4e6ee', cursor: '#e4e6ee', selectionBackground: '#3a4160' }

export function TerminalScreen({ kind }: { kind: 'chat' | 'shell' }) {
  const box = useRef<HTMLDivElement>(null)
  const [link, setLink] = useState<TerminalLink>()
  useEffect(() => {
    if (!box.current) return undefined
    const screen = new Terminal({
      ...{ theme, fontSize: 13, fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace' },
      ...{ scrollback: 5000, minimumContrastRatio: 4.5, macOptionIsMeta: true, allowProposedApi: false },
    })
    const fit = new FitAddon()
    screen.loadAddon(fit)
    screen.open(box.current)
    fit.fit()
    const made = new TerminalLink({
      kind,
      write: (bytes) => screen.write(bytes),
      size: () => ({ cols: screen.cols, rows: screen.rows }),
    })
    const sizes = new ResizeObserver(() => fit.fit())
    sizes.observe(box.current)
    screen.onData((text) => made.type(text))
    screen.onResize(() => made.resize())
    screen.focus()
    setLink(made)
    return () => {
      sizes.disconnect()
      made.close()
      screen.dispose()
    }
  }, [kind])
  return (
    <div class="terminal" dir="ltr">
      <div class="terminal-screen" ref={box} />
      {link && <LinkStatus link={link} state={link.state.value} />}
    </div>
  )
}

/** Why nothing comes any more, and what to do; nothing while all is well. */
function LinkStatus({ link, state }: { link: TerminalLink; state: LinkState }) {
  if (state.at === 'offline')
    return (
      <p class="terminal-status" role="status" dir="auto">
        {t('No connection. The terminal goes on, and is shown again once it is back.')}
      </p>
    )
  if (state.at !== 'ended') return null
  return (
    <div class="terminal-status" role="alert" dir="auto">
      <p>{describe(state.code, state.reason)}</p>
      {state.code === CLOSED.superseded && (
        <Button kind="primary" onClick={() => link.connect()}>
          {t('Use it here')}
        </Button>
      )}
      {(state.code === CLOSED.ended || state.code === CLOSED.failed) && (
        <Button icon={RotateCcw} kind="primary" onClick={() => link.connect('fresh')}>
          {t('Start again')}
        </Button>
      )}
    </div>
  )
}

function describe(code: number, reason: string): string {
  const texts: Readonly<Record<number, string>> = {
    [CLOSED.malformed]: t('The server did not understand the address of the terminal.'),
    [CLOSED.off]: t('The shell is switched off. web_terminal.shell in the settings allows it.'),
    [CLOSED.superseded]: t('This terminal was opened in another window.'),
    [CLOSED.ended]: t('The program has ended.'),
    [CLOSED.failed]: reason,
  }
  return texts[code] ?? reason
}
