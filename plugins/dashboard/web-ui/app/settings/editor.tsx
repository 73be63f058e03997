/** An editor for YAML and other texts: CodeMirror, loaded with the page that shows it. */
import { yaml } from '@codemirror/lang-yaml'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'preact/hooks'

export interface EditorProps {
  readonly label: string
  /** What it begins with; a new text replaces what was typed. */
  readonly text: string
  /** It is not YAML. */
  readonly isPlain?: boolean
  onChange(text: string): void
}

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--sunken)', color: 'var(--text)', maxHeight: '62dvh' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--side)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--chosen) !important' },
})

export function Editor({ label, text, isPlain = false, onChange }: EditorProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!ref.current) return undefined
    const view = new EditorView({
      parent: ref.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          basicSetup,
          isPlain ? EditorView.lineWrapping : yaml(),
          look,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChange(state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [text])
  return <div class="editor" ref={ref} dir="ltr" />
}
