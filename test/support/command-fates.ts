/**
 * What each slash command sets, and what a process that is killed leaves of it. A command that is missing here fails a test:
 * anyone who adds one says whether what it sets survives a restart.
 */

/** Something that a command sets. */
export interface Fate {
  /** What sets it. */
  readonly type: string
  /** The command that says in another process whether it holds. */
  readonly ask: string
  /** What is said, where it holds; for what must not survive, what is said of its end. */
  readonly says: RegExp
  /** Left out: everywhere that the command exists. */
  readonly only?: 'terminal' | 'gateway'
}

/** It changes nothing that lasts, or something else than a setting, which the tests that are named look after. */
const nothing: readonly Fate[] = []

const ofTerminal = (fate: Omit<Fate, 'only'>): readonly Fate[] => [{ ...fate, only: 'terminal' }]

/** In the order in which they are typed. */
export const fates: Readonly<Record<string, readonly Fate[]>> = {
  model: [{ type: '/model second-model', ask: '/status', says: /Model: second-model/ }],
  reasoning: [
    { type: '/reasoning high', ask: '/reasoning', says: /Level: high/ },
    {
      type: '/reasoning show',
      ask: '/config display.show_reasoning',
      says: /`?display\.show_reasoning`?: true/,
      only: 'terminal',
    },
    // In a chat it is saved for that platform.
    { type: '/reasoning show', ask: '/reasoning', says: /Level: high/, only: 'gateway' },
  ],
  fast: [{ type: '/fast off', ask: '/fast', says: /Tier: default/ }],
  title: [{ type: '/title Bees in spring', ask: '/title', says: /Bees in spring/ }],
  personality: [{ type: '/personality noir', ask: '/personality', says: /It is noir/ }],
  // What lets things run unasked ends with the process, and that is said.
  yolo: [{ type: '/yolo', ask: '/status', says: /Dangerous commands are asked about again/ }],
  goal: [{ type: '/goal keep bees', ask: '/goal', says: /\/20: keep bees/ }],
  subgoal: [{ type: '/subgoal label the honey', ask: '/subgoal', says: /1\. label the honey/ }],
  config: ofTerminal({
    type: '/config terminal.timeout 33',
    ask: '/config terminal.timeout',
    says: /terminal\.timeout`?: 33/,
  }),
  tools: ofTerminal({ type: '/tools disable web', ask: '/tools', says: /Off[\s\S]*\bweb\b/ }),
  verbose: ofTerminal({ type: '/verbose verbose', ask: '/verbose status', says: /tool_progress`? is `?verbose/ }),
  footer: ofTerminal({ type: '/footer on', ask: '/footer status', says: /show_cost`? is `?on/ }),
  busy: ofTerminal({ type: '/busy queue', ask: '/busy status', says: /busy_input_mode`? is `?queue/ }),
  skin: ofTerminal({ type: '/skin slate', ask: '/skin status', says: /skin`? is `?slate/ }),
  timestamps: ofTerminal({ type: '/timestamps on', ask: '/timestamps status', says: /timestamps`? is `?on/ }),
  indicator: ofTerminal({ type: '/indicator ascii', ask: '/indicator status', says: /indicator`? is `?ascii/ }),
  mouse: ofTerminal({ type: '/mouse off', ask: '/mouse status', says: /mouse`? is `?off/ }),

  // Their effects are looked after elsewhere: display (language), tui (statusbar), model-cli (connect), gateway (sethome, platform).
  platforms: nothing,
  reload: nothing,
  skills: nothing,
  bundles: nothing,
  kanban: nothing,
  cron: nothing,
  // What they add is a job, and decisions are stored: test/plugins/work/cron-blueprints.
  blueprint: nothing,
  suggestions: nothing,
  learn: nothing,
  'reload-skills': nothing,
  version: nothing,
  // The chat that asked is told by the next process: operation-commands.
  restart: nothing,
  update: nothing,
  language: nothing,
  statusbar: nothing,
  connect: nothing,
  sethome: nothing,
  platform: nothing,
  // Which chat shows a session, and where answers go: handoff.
  handoff: nothing,
  mirror: nothing,
  topic: nothing,
  // Answers and permissions: approvals/standing, approvals/killed.
  approve: nothing,
  deny: nothing,
  // A turn that only looks continues as such: plan/killed.
  plan: nothing,
  // Chats that take sounds: agent/voice/spoken-answers.
  voice: nothing,
  // Of one message: provider-moa/mixture.
  moa: nothing,
  // Messages that wait: conversation, gateway/order.
  queue: nothing,
  // Sessions and messages themselves: sessions, session-tree.
  tree: nothing,
  label: nothing,
  new: nothing,
  clear: nothing,
  undo: nothing,
  redo: nothing,
  branch: nothing,
  resume: nothing,
  compress: nothing,
  rollback: nothing,
  // What a restore leaves when it is killed: backups.
  snapshot: nothing,
  journey: nothing,
  // Work of this process, or a look at something.
  ...Object.fromEntries(
    [
      ...[
        'help',
        'stop',
        'steer',
        'retry',
        'quit',
        'history',
        'status',
        'save',
        'export',
        'usage',
        'insights',
        'budget',
        'find',
        'reload-mcp',
      ],
      ...[
        'agents',
        'background',
        'browser',
        'memory',
        'shell',
        'redraw',
        'copy',
        'fold',
        'goto',
        'paste',
        'image',
        'resend',
        'start',
      ],
      ...['prompt', 'whoami', 'plugins', 'profile', 'debug', 'hooks'],
    ].map((name) => [name, nothing]),
  ),
}
