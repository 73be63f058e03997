/** A view that a plugin wrote as data, as the terminal shows it, too. */
import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ViewBlock } from '../../../../../sdk/shared-views.ts'
import { setDraft } from '../chat/composer.tsx'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { connections, pluginSlots } from '../client/plugin-pages.ts'
import { rpc } from '../client/rpc.ts'
import { api } from '../client/typed.ts'
import { Button, Card, Failed, Loading, Table } from '../ui/parts.tsx'

interface SharedViewProps {
  readonly name: string
  /** The stored session on the screen. */
  readonly sessionId?: string | undefined
  /** It is the whole page: what it does not show is said. */
  readonly isPage?: boolean
  /** In a slot: the heading of its card. */
  readonly title?: string
}

export function SharedView({ name, sessionId, isPage, title }: SharedViewProps) {
  const view = useResource(
    (signal) => api.get('/api/pages/views/:name', { name, session_id: sessionId }, signal),
    [name, sessionId, connections.value],
  )
  useEffect(
    () => rpc.onEvent(({ type, payload }) => type === 'view.changed' && payload['name'] === name && view.reload()),
    [name],
  )
  const [, navigate] = useLocation()
  const run = (command: string) => {
    setDraft(sessionId ?? 'new', command)
    navigate(sessionId === undefined ? '/chat' : `/chat/${sessionId}`)
  }
  if (view.error) return <Failed error={view.error} retry={view.reload} />
  const blocks = view.data?.blocks ?? []
  if (isPage && view.isLoading) return <Loading />
  if (blocks.length === 0) return isPage ? <p class="dim">{t('There is nothing to show.')}</p> : null
  const shown = blocks.map((block, at) => <Block key={at} block={block} run={run} />)
  return title === undefined ? (
    <div class="shared-view">{shown}</div>
  ) : (
    <Card title={title}>
      <div class="shared-view">{shown}</div>
    </Card>
  )
}

/** The views of plugins at a place. */
export function Slot({ place, sessionId }: { place: string; sessionId?: string | undefined }) {
  const views = pluginSlots.value.filter((slot) => slot.place === place)
  return views.map(({ name, title }) => <SharedView key={name} name={name} title={title} sessionId={sessionId} />)
}

function Block({ block, run }: { block: ViewBlock; run: (command: string) => void }) {
  switch (block.type) {
    case 'heading':
      return <h3 dir="auto">{block.text}</h3>
    case 'text':
      return (
        <p class={block.tone ?? 'plain'} dir="auto">
          {block.text}
        </p>
      )
    case 'facts':
      return (
        <dl class="facts">
          {block.rows.map(([label, value], at) => (
            <div key={at}>
              <dt>{label}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )
    case 'list':
      return (
        <ul class="points">
          {block.items.map((item, at) => (
            <li key={at} dir="auto">
              {item}
            </li>
          ))}
        </ul>
      )
    case 'table':
      return (
        <Table label={block.head.join(', ')} head={block.head}>
          {block.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )
    case 'progress':
      return (
        <label class="share">
          {block.label} <progress max={1} value={Math.max(0, Math.min(1, block.value))} />
        </label>
      )
    case 'code':
      return <pre class="code">{block.text}</pre>
    case 'commands':
      return (
        <div class="actions">
          {block.items.map(({ label, command }) => (
            <Button key={command} title={command} onClick={() => run(command)}>
              {label}
            </Button>
          ))}
        </div>
      )
  }
}
