/** Whatever a plugin starts for the model carries the mark of the agent: svc does nothing for it that only a person may. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { root } from '../support/repository.ts'

/** Files that start programs which are not the model's, or for which another file sets the mark. */
const others: Readonly<Record<string, string>> = {
  'plugins/safety/confinement/bubblewrap.ts': 'tries bubblewrap; what is launched is marked where it is started',
  'plugins/configuration/config-cli/edit.ts': 'the editor of a person',
  'plugins/terminal-ui/tui-composer/external-editor.ts': 'the editor of a person',
  'plugins/terminal-ui/tui-screen/terminal-restorer.ts': 'restores the terminal',
  'plugins/terminal-ui/shell-escape/run-in-shell.ts': 'the command that a person types at a terminal',
  'plugins/safety/command-risk/build-output.ts': 'asks git what it ignores, with nothing of the environment',
  'plugins/operations/snapshots/slash-verbs.ts': 'svc itself, for a person',
  'plugins/dashboard/dashboard/run.ts': 'the browser of a person',
  'plugins/messaging/gateway-cli/start.ts': 'svc itself, for a person',
  'plugins/messaging/gateway-cli/supervised-process.ts': 'svc itself, for a person',
  'plugins/messaging/gateway-cli/install.ts': 'systemctl, for a person',
  'plugins/configuration/plugin-manager/dev.ts': 'svc itself, for a person',
  'plugins/configuration/profiles/git.ts': 'git, for a person',
  'plugins/http/webhook/script.ts': 'a script of the home, which tools cannot write',
  'plugins/dashboard/dashboard-operations/own-command.ts': 'svc itself, for a person',
  'plugins/dashboard/desktop/backend/backend.ts': 'svc itself, for a person',
  'plugins/dashboard/desktop/bootstrap/run-stage.ts': 'svc itself, for a person',
  'plugins/dashboard/desktop/child-program.ts': 'svc itself and what a first start looks for, for a person',
  'plugins/dashboard/desktop/window/chromium.ts': 'the browser of a person',
  'plugins/dashboard/desktop/window/default-browser.ts': 'the browser of a person',
  'plugins/work/cron/script.ts': 'a script of the home, which tools cannot write',
  'plugins/tools/shell/tool-process/program.ts': 'what a terminal backend launches, with its environment',
  'plugins/tools/shell/terminal-docker/container.ts': 'the client of docker; what runs is in a container',
  'plugins/tools/shell/terminal-docker/volumes.ts': 'the client of docker, which removes volumes',
  'plugins/tools/shell/terminal-ssh/connection.ts': 'the client of ssh; what runs is on another machine',
  'plugins/tools/shell/terminal-bubblewrap/sandbox.ts': 'tries the sandbox with `true`; the terminal marks what runs',
  'plugins/tools/shell/tool-terminal/cleanup-process.ts': 'ends what a shell left',
  'plugins/tools/shell/tool-terminal/shell.ts': 'types only',
  'plugins/work/kanban-dispatcher/worker-process.ts': 'svc itself, as a worker of the board',
  'plugins/mcp/mcp/group-guard.ts': 'ends what servers left',
  'plugins/mcp/mcp/stdio-transport.ts': 'runs with an environment that another file makes and marks',
}

test('every file that starts programs marks them, or is listed with the reason', () => {
  const files = globSync('plugins/**/*.ts', { cwd: root })
  const starting = files.filter((file) => readFileSync(join(root, file), 'utf8').includes("'node:child_process'"))
  const marks = (file: string) => /AGENT_PROCESS_VARIABLE|MARK_VARIABLE/.test(readFileSync(join(root, file), 'utf8'))
  expect(starting.filter((file) => !marks(file) && !(file in others))).toEqual([])
  expect(Object.keys(others).filter((file) => !starting.includes(file) || marks(file))).toEqual([])
})
