/** The terminal UI in the page, and a shell where the settings allow it. */

import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { rpc } from '../client/rpc.ts'
import { call } from '../client/typed.ts'
import { TerminalScreen } from '../terminal/terminal-screen.tsx'
import { Page, Tabs } from '../ui/parts.tsx'

export function TerminalPage() {
  const shell = useResource(async () => {
    await rpc.ready()
    const setting = await call('config.get', { key: 'web_terminal.shell' })
    return (setting.value ?? setting.default) === true
  }, [])
  return (
    <Page title={t('Terminal')}>
      {shell.data === true ? (
        <Tabs
          label={t('Terminal')}
          tabs={[
            { id: 'chat', label: 'svc', body: () => <TerminalScreen key="chat" kind="chat" /> },
            { id: 'shell', label: t('Shell'), body: () => <TerminalScreen key="shell" kind="shell" /> },
          ]}
        />
      ) : (
        <TerminalScreen kind="chat" />
      )}
    </Page>
  )
}
