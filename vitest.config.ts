import { globSync } from 'tinyglobby'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { IS_ROTATING, listResting } from './test/support/rotation.ts'

/** Those that take minutes, the longest first: begun last, they would keep one core busy and the others waiting. */
const long = ['faults/gateway.', 'faults/durable', 'faults/gateway-soak', 'faults/', 'scenarios/']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = long.findIndex((part) => moduleId.includes(`/test/${part}`))
      return found < 0 ? long.length : found
    }
    return (await super.sort(files)).toSorted((one, two) => rank(one) - rank(two))
  }
}

/** Below `test/`. They kill for real, play whole days, or start programs by the dozen: `npm run test:slow`. */
const slow = [
  '{faults,scenarios,examples,plugins/messaging/rehearsal}/**',
  'plugins/**/{browser,checkpoints,confinement,markup,plugin-manager,terminal-docker,terminal-ssh}/**',
  'plugins/**/{tool-browser,tool-code,tool-process,tool-speech,voice,voice,tool-terminal,tui-screen,provider-demo}/**',
  'plugins/**/platform-*/**',
  'plugins/mcp/mcp-catalog/{git,real-servers}.test.ts',
  'plugins/configuration/config/{processes,undo}.test.ts',
  'plugins/operations/backups/encryption.test.ts',
  'plugins/operations/updates/**',
  'plugins/configuration/doctor/faults.test.ts',
  'plugins/sessions/sessions-cli/long.test.ts',
  'plugins/safety/command-risk/{corpus,normalise}.test.ts',
  'plugins/messaging/gateway/{drain,gateway,kept,order,places,questions,questions-open,stopping,trouble}.test.ts',
  'plugins/http/api-server/**',
  'plugins/dashboard/**',
  'plugins/providers/{auth-cloud,provider-copilot-acp}/**',
  'plugins/providers/*/{processes,real-servers}.test.ts',
  'plugins/work/kanban-{api,dispatcher,notify,screen,worker}/**',
  'plugins/work/kanban/{explorer,postgres,walks}.test.ts',
  'plugins/work/kanban-decompose/postgres.test.ts',
  'plugins/sessions/{shared-store,storage-postgres,replication}/**',
  'plugins/dashboard/web-terminal/{terminals,socket}.test.ts',
  'plugins/dashboard/desktop/{stages,backend,window}.test.ts',
  'plugins/work/delegation/{background,killed,told-once,waiting}.test.ts',
  'plugins/work/cron/{killed,processes,postgres,year}.test.ts',
  'plugins/work/cron-blueprints/killed.test.ts',
  'plugins/mcp/mcp/{everything,http,oauth,bad-servers,life,cli,conformance,vetting}.test.ts',
  'plugins/**/{tui/dialogs,tool-files/closed-home,sessions/{retention,search,trash},approvals/killed,{skill-seeds,skill-hub,profiles}/{killed,taint,install}}.test.ts',
  'sdk/{conformance,conformance-child,platform-contract,provider-contract,wire-contract,kit/environment}.test.ts',
  '{architecture/program,builtin-skills/scripts,contracts/built-ins,program/main}.test.ts',
].map((path) => `test/${path.replace(/\*\*$/, '**/*.test.ts')}`)

const architecture = 'test/architecture/*.test.ts'

/** Slow ones that are about the whole program, or whose parts bring what only one file can use. */
const whole = [
  'test/{faults,scenarios,examples}/**/*.test.ts',
  'test/plugins/sessions/{shared-store,storage-postgres}/processes.test.ts',
]

/** They measure their own process, or change it for good, so nothing runs in it before or after. */
const alone = ['kernel/owner', 'bench/child', 'program/v8-settings', 'plugins/skills/skill-scan/scan'].map(
  (name) => `test/${name}.test.ts`,
)

const resting = IS_ROTATING ? listResting(globSync([...slow, ...whole])) : []

export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  resolve: { conditions: ['svc-source'] },
  test: {
    projects: [
      // Without isolation a worker evaluates the sources, and parses them for the rules, once and not for each file.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...alone, architecture],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'quick-alone', include: alone } },
      { extends: true, test: { name: 'architecture', include: [architecture], exclude: slow, isolate: false } },
      // Those of one plugin evaluate the sources; what plays whole days mostly starts programs.
      {
        extends: true,
        test: { name: 'slow', include: slow, exclude: [...whole, ...alone, ...resting], isolate: false },
      },
      { extends: true, test: { name: 'slow-alone', include: whole, exclude: resting } },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/patience.ts'],
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 3,
    // Each project would transform the sources again.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongFirst },
  },
})
