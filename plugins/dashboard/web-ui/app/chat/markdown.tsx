/** Markdown as safe HTML. Blocks that do not change are parsed once, so a long answer can grow cheaply. */
import DOMPurify from 'dompurify'
import { Marked, type Token } from 'marked'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'

const marked = new Marked({ gfm: true, breaks: false, async: false })

/** A page that only looks at a picture tells its server so: pictures of others are links. */
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A' && node.hasAttribute('href')) {
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer')
  }
  const source = node.getAttribute('src') ?? ''
  if (node.tagName !== 'IMG' || source.startsWith('data:image/')) return
  const link = document.createElement('a')
  link.textContent = node.getAttribute('alt') || source
  if (/^https?:/.test(source)) link.setAttribute('href', source)
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer')
  node.replaceWith(link)
})

const MAX_KEPT = 2000
const kept = new Map<string, string>()

function toHtml(token: Token, links: Record<string, unknown>): string {
  const known = kept.get(token.raw)
  if (known !== undefined) return known
  const tokens = Object.assign([token], { links }) as unknown as Parameters<typeof marked.parser>[0]
  const html = DOMPurify.sanitize(marked.parser(tokens), {
    FORBID_ATTR: ['style', 'class', 'id'],
    FORBID_TAGS: ['style', 'form', 'input', 'button'],
  })
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
  kept.set(token.raw, html)
  return html
}

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => marked.lexer(text), [text])
  return (
    <div class="markdown" dir="auto">
      {tokens.map((token, at) => {
        if (token.type === 'code')
          return <CodeBlock key={at} text={String(token['text'])} language={String(token['lang'] ?? '')} />
        if (token.type === 'space') return null
        return <Block key={at} html={toHtml(token, tokens.links)} />
      })}
    </div>
  )
}

function Block({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} />
}

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const [html, setHtml] = useState<string>()
  const name = /^[\w+#-]+/.exec(language)?.[0]?.toLowerCase() ?? ''
  const latest = useRef(text)
  latest.current = text
  useEffect(() => {
    if (name === '' || text.length > 50_000) return
    let isGone = false
    // Behind what is typed: a block that grows is coloured when it rests.
    const timer = setTimeout(async () => {
      const { highlight } = await import('./highlight.ts')
      if (!isGone && latest.current === text) setHtml(highlight(text, name))
    }, 60)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [text, name])
  const copy = () => navigator.clipboard.writeText(text).then(() => notify(t('Copied'), 'ok'))
  return (
    <figure class="code-block">
      <figcaption>
        <span>{name}</span>
        <button type="button" class="button quiet small" onClick={copy}>
          {t('Copy')}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard */}
      <pre tabIndex={0} dir="ltr">
        {html === undefined ? <code>{text}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  )
}

/** A unified diff, one line below the other. */
export function Diff({ text }: { text: string }) {
  const lines = text.split('\n')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
    <pre class="diff" tabIndex={0} dir="ltr">
      {lines.map((line, at) => (
        <span key={at} class={getKind(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

function getKind(line: string): string {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return 'file'
  if (line.startsWith('@@')) return 'place'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : ''
}
