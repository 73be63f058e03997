/** Written by `npm run docs` from the routes and methods of the dashboard: what each takes and answers. */
export interface Routes {
  'DELETE /api/auth/sessions': {
    params: {}
    query: { readonly id?: string | undefined }
    body: undefined
    result: { readonly ended: number }
  }
  'DELETE /api/credentials/pool/:provider/:id': {
    params: { readonly provider: string; readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'DELETE /api/cron/jobs/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'DELETE /api/env': {
    params: {}
    query: {}
    body: { readonly key: string }
    result: { readonly ok: true; readonly key: string }
  }
  'DELETE /api/files/uploads/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: boolean }
  }
  'DELETE /api/mcp/catalog/:name': {
    params: { readonly name: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'DELETE /api/outbox/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'DELETE /api/plugins/kanban/attachments/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: unknown
  }
  'DELETE /api/plugins/kanban/boards/:slug': {
    params: { readonly slug: string }
    query: { readonly delete?: '0' | '1' | 'true' | 'false' | undefined }
    body: undefined
    result: unknown
  }
  'DELETE /api/plugins/kanban/links': {
    params: {}
    query: { readonly parent_id: string; readonly child_id: string }
    body: undefined
    result: unknown
  }
  'DELETE /api/plugins/kanban/tasks/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: unknown
  }
  'DELETE /api/plugins/kanban/tasks/:id/home-subscribe/:platform': {
    params: { readonly id: string; readonly platform: string }
    query: {}
    body: undefined
    result: {
      readonly ok: boolean
      readonly task_id: string
      readonly home_channel: {
        readonly platform: string
        readonly chat_id: string
        readonly name: string
        readonly subscribed: boolean
      }
    }
  }
  'DELETE /api/profiles/:name': {
    params: { readonly name: string }
    query: {}
    body: undefined
    result: { readonly ok: true; readonly name: string; readonly trash: string }
  }
  'DELETE /api/providers/oauth/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: boolean; readonly provider: string }
  }
  'DELETE /api/providers/oauth/sessions/:session': {
    params: { readonly session: string }
    query: {}
    body: undefined
    result: { readonly ok: boolean; readonly session_id?: string; readonly message?: string }
  }
  'DELETE /api/sessions/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: true; readonly already_absent?: boolean }
  }
  'DELETE /api/webhooks/:name': {
    params: { readonly name: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'GET /api/analytics/usage': {
    params: {}
    query: { readonly days?: number | undefined }
    body: undefined
    result: {
      readonly period_days: number
      readonly daily: readonly {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }[]
      readonly by_model: readonly {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }[]
      readonly by_provider: readonly {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }[]
      readonly by_session: readonly {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }[]
      readonly by_purpose: readonly {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }[]
      readonly totals: {
        readonly name: string
        readonly calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly cache_read_tokens: number
        readonly reasoning_tokens: number
        readonly cost_usd: number | null
        readonly unpriced_calls: number
      }
    }
  }
  'GET /api/approvals': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly approvals: readonly {
        readonly id: string
        readonly session_id: string
        readonly turn_id: string
        readonly tool: string
        readonly action: string
        readonly reason: string
        readonly choices: readonly ('once' | 'session' | 'project' | 'always' | 'deny')[]
        readonly covers: string | null
        readonly expires_at: number
      }[]
    }
  }
  'GET /api/auth/callback': { params: {}; query: {}; body: undefined; result: unknown }
  'GET /api/auth/login': {
    params: {}
    query: { readonly provider?: string | undefined; readonly next?: string | undefined }
    body: undefined
    result: unknown
  }
  'GET /api/auth/me': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly user_id: string
      readonly display_name: string
      readonly email: string | null
      readonly provider: string
      readonly expires_at: number | null
    }
  }
  'GET /api/auth/providers': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly providers: readonly {
        readonly name: string
        readonly display_name: string
        readonly supports_password: boolean
      }[]
    }
  }
  'GET /api/auth/sessions': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly sessions: readonly {
        readonly id: string
        readonly user: string
        readonly provider: string
        readonly address: string
        readonly agent: string
        readonly created_at: number
        readonly used_at: number
        readonly is_current: boolean
      }[]
    }
  }
  'GET /api/checkpoints': {
    params: {}
    query: { readonly cwd: string; readonly limit?: number | undefined }
    body: undefined
    result: {
      readonly checkpoints: readonly {
        readonly number: number
        readonly id: string
        readonly at: number
        readonly reason: string
        readonly session_id: string | null
        readonly files: number
        readonly insertions: number
        readonly deletions: number
      }[]
    }
  }
  'GET /api/checkpoints/:number/diff': {
    params: { readonly number: string }
    query: { readonly cwd: string }
    body: undefined
    result: { readonly diff: string }
  }
  'GET /api/config': {
    params: {}
    query: {}
    body: undefined
    result: { readonly config: Readonly<Record<string, unknown>>; readonly path: string }
  }
  'GET /api/config/changes': {
    params: {}
    query: { readonly limit?: number | undefined }
    body: undefined
    result: {
      readonly changes: readonly {
        readonly id: number
        readonly at: number
        readonly author: string
        readonly reason: string
        readonly diff: string
        readonly undone_by: number | null
      }[]
    }
  }
  'GET /api/config/raw': {
    params: {}
    query: {}
    body: undefined
    result: { readonly yaml: string; readonly path: string; readonly version: string }
  }
  'GET /api/config/schema': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly fields: readonly {
        readonly path: string
        readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object' | 'unknown'
        readonly value: unknown
        readonly default: unknown
        readonly description: string
        readonly category: string
        readonly secret: boolean
        readonly fixed: string | null
      }[]
    }
  }
  'GET /api/credentials/pool': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly entries: readonly {
        readonly id: string
        readonly provider: string
        readonly label: string
        readonly auth_type: string
        readonly source: string
        readonly status: 'ok' | 'exhausted' | 'dead'
        readonly error: string | null
        readonly reset_at: number | null
        readonly request_count: number
      }[]
    }
  }
  'GET /api/cron/jobs': {
    params: {}
    query: { readonly all?: 'true' | 'false' | undefined }
    body: undefined
    result: {
      readonly jobs: readonly {
        readonly id: string
        readonly name: string
        readonly prompt: string
        readonly script: string | null
        readonly no_agent: boolean
        readonly skills: readonly string[]
        readonly schedule: { readonly kind: string; readonly display: string }
        readonly repeat: { readonly times: number | null; readonly completed: number }
        readonly enabled: boolean
        readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
        readonly paused_reason: string | null
        readonly deliver: string
        readonly provider: string | null
        readonly model: string | null
        readonly context_from: readonly string[]
        readonly enabled_toolsets: readonly string[] | null
        readonly workdir: string | null
        readonly budget_usd: number | null
        readonly next_run_at: number | null
        readonly created_at: number
        readonly last_run: unknown
      }[]
      readonly status: { readonly last_tick_at: number | null }
    }
  }
  'GET /api/cron/jobs/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly id: string
      readonly name: string
      readonly prompt: string
      readonly script: string | null
      readonly no_agent: boolean
      readonly skills: readonly string[]
      readonly schedule: { readonly kind: string; readonly display: string }
      readonly repeat: { readonly times: number | null; readonly completed: number }
      readonly enabled: boolean
      readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
      readonly paused_reason: string | null
      readonly deliver: string
      readonly provider: string | null
      readonly model: string | null
      readonly context_from: readonly string[]
      readonly enabled_toolsets: readonly string[] | null
      readonly workdir: string | null
      readonly budget_usd: number | null
      readonly next_run_at: number | null
      readonly created_at: number
      readonly last_run: unknown
    }
  }
  'GET /api/cron/jobs/:id/runs': {
    params: { readonly id: string }
    query: { readonly limit?: number | undefined }
    body: undefined
    result: {
      readonly runs: readonly {
        readonly job_id: string
        readonly due_at: number
        readonly trigger: string
        readonly outcome: string
        readonly status: string | null
        readonly reason: string | null
        readonly error: string | null
        readonly output: string | null
        readonly delivery_error: string | null
        readonly session_id: string | null
        readonly started_at: number | null
        readonly ended_at: number | null
        readonly cost_usd: number | null
      }[]
    }
  }
  'GET /api/env': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly variables: readonly {
        readonly key: string
        readonly is_set: boolean
        readonly source: string | null
        readonly redacted_value: string | null
        readonly description: string
        readonly is_password: boolean
        readonly plugins: readonly string[]
        readonly kind: string
      }[]
    }
  }
  'GET /api/files': {
    params: {}
    query: { readonly session?: string | undefined; readonly path?: string | undefined }
    body: undefined
    result: {
      readonly root: string
      readonly path: string
      readonly parent: string | null
      readonly entries: readonly {
        readonly name: string
        readonly path: string
        readonly is_directory: boolean
        readonly is_link: boolean
        readonly size: number
        readonly mtime: number
      }[]
      readonly truncated: boolean
    }
  }
  'GET /api/files/download': {
    params: {}
    query: { readonly session?: string | undefined; readonly path?: string | undefined }
    body: undefined
    result: unknown
  }
  'GET /api/files/read': {
    params: {}
    query: { readonly session?: string | undefined; readonly path?: string | undefined }
    body: undefined
    result: {
      readonly name: string
      readonly path: string
      readonly size: number
      readonly mtime: number
      readonly text: string | null
      readonly truncated: boolean
    }
  }
  'GET /api/git/diff': {
    params: {}
    query: {
      readonly session?: string | undefined
      readonly path: string
      readonly staged?: 'true' | 'false' | undefined
    }
    body: undefined
    result: { readonly diff: string }
  }
  'GET /api/git/status': {
    params: {}
    query: { readonly session?: string | undefined }
    body: undefined
    result: {
      readonly status: {
        readonly branch: string | null
        readonly ahead: number
        readonly behind: number
        readonly files: readonly {
          readonly path: string
          readonly staged: boolean
          readonly unstaged: boolean
          readonly untracked: boolean
          readonly conflicted: boolean
        }[]
        readonly truncated: boolean
      } | null
    }
  }
  'GET /api/health': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly checks: readonly {
        readonly check: string
        readonly title: string
        readonly findings: readonly {
          readonly state: 'ok' | 'warning' | 'problem'
          readonly text: string
          readonly fix: string | null
        }[]
      }[]
    }
  }
  'GET /api/logs': {
    params: {}
    query: {
      readonly file?: string | undefined
      readonly lines?: number | undefined
      readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
      readonly plugin?: string | undefined
      readonly session?: string | undefined
      readonly since?: number | undefined
      readonly search?: string | undefined
    }
    body: undefined
    result: {
      readonly file: string
      readonly entries: readonly {
        readonly at: number | null
        readonly level: string | null
        readonly plugin: string | null
        readonly message: string
        readonly fields: Readonly<Record<string, unknown>>
      }[]
    }
  }
  'GET /api/logs/files': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly files: readonly {
        readonly name: string
        readonly title: string
        readonly size: number
        readonly modified_at: number | null
      }[]
    }
  }
  'GET /api/mcp/catalog': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly entries: readonly {
        readonly name: string
        readonly description: string
        readonly transport: string
        readonly auth_type: string
        readonly state: string
        readonly needs_install: boolean
        readonly installed: boolean
        readonly enabled: boolean
        readonly runs: readonly string[]
        readonly required_env: readonly {
          readonly name: string
          readonly required: boolean
          readonly secret: boolean
          readonly prompt: string | null
          readonly default: string | null
        }[]
      }[]
      readonly diagnostics: readonly { readonly name: string; readonly kind: string; readonly message: string }[]
    }
  }
  'GET /api/mcp/servers': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly servers: readonly {
        readonly name: string
        readonly transport: string
        readonly target: string
        readonly state: string
        readonly tools: readonly string[]
        readonly error: string | null
      }[]
    }
  }
  'GET /api/messaging/platforms': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly gateway_running: boolean
      readonly platforms: readonly {
        readonly id: string
        readonly name: string
        readonly description: string
        readonly enabled: boolean
        readonly configured: boolean
        readonly gateway_running: boolean
        readonly state: string
        readonly error_code: string | null
        readonly error_message: string | null
        readonly updated_at: number | null
        readonly home_channel: string | null
        readonly env_vars: readonly {
          readonly key: string
          readonly description: string
          readonly is_password: boolean
          readonly is_set: boolean
          readonly redacted_value: string | null
        }[]
      }[]
    }
  }
  'GET /api/model/auxiliary': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly tasks: readonly {
        readonly task: string
        readonly provider: string | null
        readonly model: string | null
      }[]
    }
  }
  'GET /api/model/info': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly ok: boolean
      readonly provider: string | null
      readonly model: string | null
      readonly source: string | null
      readonly error: string | null
      readonly code: string | null
      readonly capabilities: {
        readonly context_window: number | null
        readonly max_output_tokens: number | null
        readonly vision: boolean | null
        readonly tools: boolean | null
        readonly reasoning: boolean | null
        readonly input_price: number | null
        readonly output_price: number | null
      } | null
    }
  }
  'GET /api/model/options': {
    params: {}
    query: {
      readonly include_unconfigured?: '0' | '1' | 'true' | 'false' | undefined
      readonly provider?: string | undefined
    }
    body: undefined
    result: {
      readonly providers: readonly {
        readonly slug: string
        readonly name: string
        readonly models: readonly string[]
        readonly total_models: number
        readonly is_current: boolean
        readonly authenticated: boolean
        readonly local: boolean
        readonly auth_type: string | null
        readonly key_env: readonly string[]
        readonly warning: string | null
        readonly capabilities: Readonly<
          Record<
            string,
            {
              readonly context_window: number | null
              readonly max_output_tokens: number | null
              readonly vision: boolean | null
              readonly tools: boolean | null
              readonly reasoning: boolean | null
              readonly input_price: number | null
              readonly output_price: number | null
            }
          >
        >
      }[]
      readonly provider: string | null
      readonly model: string | null
    }
  }
  'GET /api/openapi.json': { params: {}; query: {}; body: undefined; result: unknown }
  'GET /api/outbox': {
    params: {}
    query: {
      readonly state?: 'pending' | 'attempting' | 'delivered' | 'uncertain' | 'failed' | undefined
      readonly limit?: number | undefined
    }
    body: undefined
    result: {
      readonly deliveries: readonly {
        readonly id: string
        readonly key: string
        readonly platform: string
        readonly chat_id: string
        readonly state: string
        readonly attempts: number
        readonly error: string | null
        readonly trace: string | null
        readonly preview: string
        readonly at: number
      }[]
      readonly counts: Readonly<Record<string, number>>
    }
  }
  'GET /api/pages': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly pages: readonly {
        readonly name: string
        readonly title: string
        readonly plugin: string
        readonly group: 'work' | 'setup' | 'insight'
        readonly frame?: {
          readonly address: string
          readonly version: string
          readonly routes: readonly string[]
          readonly methods: readonly string[]
        }
      }[]
      readonly slots: readonly {
        readonly name: string
        readonly title: string
        readonly plugin: string
        readonly place: string
      }[]
    }
  }
  'GET /api/pages/views/:name': {
    params: { readonly name: string }
    query: { readonly session_id?: string | undefined }
    body: undefined
    result: {
      readonly blocks: readonly (
        | { readonly type: 'heading'; readonly text: string }
        | { readonly type: 'text'; readonly text: string; readonly tone?: 'plain' | 'dim' | 'ok' | 'warning' | 'error' }
        | { readonly type: 'facts'; readonly rows: readonly (readonly string[])[] }
        | { readonly type: 'list'; readonly items: readonly string[] }
        | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
        | { readonly type: 'progress'; readonly label: string; readonly value: number }
        | { readonly type: 'code'; readonly text: string }
        | { readonly type: 'commands'; readonly items: readonly { readonly label: string; readonly command: string }[] }
      )[]
    }
  }
  'GET /api/pairing': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly pending: readonly {
        readonly platform: string
        readonly user_id: string
        readonly user_name: string | null
        readonly at: number
        readonly expires_at: number
      }[]
      readonly approved: readonly {
        readonly platform: string
        readonly user_id: string
        readonly user_name: string | null
        readonly at: number
      }[]
    }
  }
  'GET /api/plugins': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly plugins: readonly {
        readonly name: string
        readonly version: string
        readonly kind: string
        readonly description: string
        readonly origin: string
        readonly status: string
        readonly reason: string | null
        readonly can_switch: boolean
        readonly is_disabled: boolean
        readonly provides: readonly string[]
      }[]
      readonly problems: readonly {
        readonly plugin: string
        readonly stage: string
        readonly message: string
        readonly code: string
        readonly at: number
      }[]
      readonly guards: readonly { readonly plugin: string; readonly state: string; readonly reason: string | null }[]
    }
  }
  'GET /api/plugins/kanban/assignees': {
    params: {}
    query: { readonly board?: string | undefined }
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/attachments/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/board': {
    params: {}
    query: {
      readonly board?: string | undefined
      readonly tenant?: string | undefined
      readonly include_archived?: '0' | '1' | 'true' | 'false' | undefined
    }
    body: undefined
    result: {
      readonly board: string
      readonly columns: readonly {
        readonly name: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly tasks: readonly {
          readonly id: string
          readonly board: string
          readonly title: string
          readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
          readonly assignee: string | null
          readonly priority: number
          readonly tenant: string | null
          readonly created_at: number
          readonly updated_at: number
          readonly started_at: number | null
          readonly completed_at: number | null
          readonly not_before: number | null
          readonly consecutive_failures: number
          readonly last_failure_error: string | null
          readonly block_kind: string | null
          readonly block_reason: string | null
          readonly latest_summary: string | null
          readonly verified: boolean | null
          readonly age: number
          readonly link_counts: { readonly parents: number; readonly open_parents: number; readonly children: number }
          readonly comment_count: number
          readonly progress: { readonly done: number; readonly total: number } | null
        }[]
      }[]
      readonly tenants: readonly string[]
      readonly assignees: readonly string[]
      readonly latest_event_id: number
      readonly now: number
    }
  }
  'GET /api/plugins/kanban/boards': {
    params: {}
    query: { readonly include_archived?: '0' | '1' | 'true' | 'false' | undefined }
    body: undefined
    result: {
      readonly boards: readonly {
        readonly slug: string
        readonly name: string
        readonly description: string
        readonly icon: string | null
        readonly color: string | null
        readonly default_workdir: string | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly created_at: number
        readonly archived: boolean
        readonly counts: Readonly<Record<string, number>>
      }[]
      readonly current: string
    }
  }
  'GET /api/plugins/kanban/boards/:slug': {
    params: { readonly slug: string }
    query: {}
    body: undefined
    result: {
      readonly board: {
        readonly slug: string
        readonly name: string
        readonly description: string
        readonly icon: string | null
        readonly color: string | null
        readonly default_workdir: string | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly created_at: number
        readonly archived: boolean
      }
    }
  }
  'GET /api/plugins/kanban/config': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly default_tenant: string
      readonly lane_by_profile: boolean
      readonly include_archived_by_default: boolean
      readonly render_markdown: boolean
    }
  }
  'GET /api/plugins/kanban/diagnostics': {
    params: {}
    query: { readonly board?: string | undefined; readonly severity?: 'warning' | 'error' | 'critical' | undefined }
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/events': {
    params: {}
    query: {
      readonly board?: string | undefined
      readonly since?: number | undefined
      readonly task_id?: string | undefined
      readonly kinds?: string | undefined
      readonly limit?: number | undefined
    }
    body: undefined
    result: {
      readonly events: readonly {
        readonly id: number
        readonly board: string
        readonly task_id: string
        readonly run_id: number | null
        readonly kind: string
        readonly payload: Readonly<Record<string, unknown>>
        readonly created_at: number
      }[]
      readonly cursor: number
    }
  }
  'GET /api/plugins/kanban/events/stream': {
    params: {}
    query: {
      readonly board?: string | undefined
      readonly since?: number | undefined
      readonly task_id?: string | undefined
      readonly kinds?: string | undefined
    }
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/home-channels': {
    params: {}
    query: { readonly task_id?: string | undefined }
    body: undefined
    result: {
      readonly home_channels: readonly {
        readonly platform: string
        readonly chat_id: string
        readonly name: string
        readonly subscribed: boolean
      }[]
    }
  }
  'GET /api/plugins/kanban/orchestration': { params: {}; query: {}; body: undefined; result: unknown }
  'GET /api/plugins/kanban/profiles': { params: {}; query: {}; body: undefined; result: unknown }
  'GET /api/plugins/kanban/runs/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly run: {
        readonly id: number
        readonly board: string
        readonly task_id: string
        readonly profile: string | null
        readonly status: 'running' | 'ended'
        readonly outcome: string | null
        readonly claim_lock: string
        readonly claim_expires: number
        readonly worker_pid: number | null
        readonly worker_machine: string | null
        readonly max_runtime_seconds: number | null
        readonly last_heartbeat_at: number | null
        readonly started_at: number
        readonly ended_at: number | null
        readonly summary: string | null
        readonly error: string | null
        readonly estimated_cost_usd: number
        readonly unpriced_calls: number
        readonly api_calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly model: string | null
      }
    }
  }
  'GET /api/plugins/kanban/runs/:id/inspect': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/stats': {
    params: {}
    query: { readonly board?: string | undefined }
    body: undefined
    result: unknown
  }
  'GET /api/plugins/kanban/tasks': {
    params: {}
    query: {
      readonly board?: string | undefined
      readonly status?: string | undefined
      readonly assignee?: string | undefined
      readonly tenant?: string | undefined
      readonly text?: string | undefined
      readonly include_archived?: '0' | '1' | 'true' | 'false' | undefined
      readonly limit?: number | undefined
      readonly offset?: number | undefined
    }
    body: undefined
    result: {
      readonly tasks: readonly {
        readonly id: string
        readonly board: string
        readonly title: string
        readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly assignee: string | null
        readonly priority: number
        readonly tenant: string | null
        readonly created_at: number
        readonly updated_at: number
        readonly started_at: number | null
        readonly completed_at: number | null
        readonly not_before: number | null
        readonly consecutive_failures: number
        readonly last_failure_error: string | null
        readonly block_kind: string | null
        readonly block_reason: string | null
        readonly latest_summary: string | null
        readonly verified: boolean | null
      }[]
      readonly total: number
    }
  }
  'GET /api/plugins/kanban/tasks/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly task: {
        readonly id: string
        readonly board: string
        readonly title: string
        readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly assignee: string | null
        readonly priority: number
        readonly tenant: string | null
        readonly created_at: number
        readonly updated_at: number
        readonly started_at: number | null
        readonly completed_at: number | null
        readonly not_before: number | null
        readonly consecutive_failures: number
        readonly last_failure_error: string | null
        readonly block_kind: string | null
        readonly block_reason: string | null
        readonly latest_summary: string | null
        readonly verified: boolean | null
        readonly body: string
        readonly created_by: string
        readonly workspace_kind: 'scratch' | 'dir' | 'worktree'
        readonly workspace_path: string | null
        readonly branch_name: string | null
        readonly result: string | null
        readonly metadata: Readonly<Record<string, unknown>> | null
        readonly skills: readonly string[]
        readonly model_override: string | null
        readonly max_runtime_seconds: number | null
        readonly max_retries: number | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly budget_unknown_cost_runs: number
        readonly session_id: string | null
        readonly idempotency_key: string | null
        readonly checks: readonly { readonly type: string }[]
        readonly evidence: readonly {
          readonly check: number
          readonly met: boolean
          readonly detail: string
          readonly at: number
        }[]
        readonly block_recurrences: number
        readonly claim_lock: string | null
        readonly claim_expires: number | null
        readonly current_run_id: number | null
        readonly worker_pid: number | null
        readonly last_heartbeat_at: number | null
      }
      readonly comments: readonly {
        readonly id: number
        readonly task_id: string
        readonly author: string
        readonly body: string
        readonly created_at: number
      }[]
      readonly events: readonly {
        readonly id: number
        readonly board: string
        readonly task_id: string
        readonly run_id: number | null
        readonly kind: string
        readonly payload: Readonly<Record<string, unknown>>
        readonly created_at: number
      }[]
      readonly attachments: readonly {
        readonly id: number
        readonly task_id: string
        readonly filename: string
        readonly content_type: string
        readonly size: number
        readonly sha256: string
        readonly uploaded_by: string
        readonly created_at: number
      }[]
      readonly links: { readonly parents: readonly string[]; readonly children: readonly string[] }
      readonly child_results: readonly {
        readonly id: string
        readonly title: string
        readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly summary: string | null
      }[]
      readonly runs: readonly {
        readonly id: number
        readonly board: string
        readonly task_id: string
        readonly profile: string | null
        readonly status: 'running' | 'ended'
        readonly outcome: string | null
        readonly claim_lock: string
        readonly claim_expires: number
        readonly worker_pid: number | null
        readonly worker_machine: string | null
        readonly max_runtime_seconds: number | null
        readonly last_heartbeat_at: number | null
        readonly started_at: number
        readonly ended_at: number | null
        readonly summary: string | null
        readonly error: string | null
        readonly estimated_cost_usd: number
        readonly unpriced_calls: number
        readonly api_calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly model: string | null
      }[]
      readonly moves: readonly {
        readonly verb: string
        readonly to: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
      }[]
    }
  }
  'GET /api/plugins/kanban/tasks/:id/attachments': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly attachments: readonly {
        readonly id: number
        readonly task_id: string
        readonly filename: string
        readonly content_type: string
        readonly size: number
        readonly sha256: string
        readonly uploaded_by: string
        readonly created_at: number
      }[]
    }
  }
  'GET /api/plugins/kanban/tasks/:id/log': {
    params: { readonly id: string }
    query: { readonly tail?: number | undefined; readonly after?: number | undefined }
    body: undefined
    result: {
      readonly task_id: string
      readonly path: string
      readonly exists: boolean
      readonly size_bytes: number
      readonly content: string
      readonly truncated: boolean
      readonly from: number
      readonly to: number
    }
  }
  'GET /api/plugins/kanban/tasks/:id/report': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly report: string }
  }
  'GET /api/plugins/kanban/workers/active': {
    params: {}
    query: { readonly board?: string | undefined }
    body: undefined
    result: {
      readonly workers: readonly {
        readonly id: number
        readonly board: string
        readonly task_id: string
        readonly profile: string | null
        readonly status: 'running' | 'ended'
        readonly outcome: string | null
        readonly claim_lock: string
        readonly claim_expires: number
        readonly worker_pid: number | null
        readonly worker_machine: string | null
        readonly max_runtime_seconds: number | null
        readonly last_heartbeat_at: number | null
        readonly started_at: number
        readonly ended_at: number | null
        readonly summary: string | null
        readonly error: string | null
        readonly estimated_cost_usd: number
        readonly unpriced_calls: number
        readonly api_calls: number
        readonly input_tokens: number
        readonly output_tokens: number
        readonly model: string | null
      }[]
      readonly count: number
      readonly checked_at: number
    }
  }
  'GET /api/profiles': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly profiles: readonly {
        readonly name: string
        readonly path: string
        readonly is_default: boolean
        readonly is_active: boolean
        readonly gateway_running: boolean
        readonly running: readonly { readonly pid: number; readonly command: string }[]
        readonly model: string | null
        readonly provider: string | null
        readonly has_env: boolean
        readonly skill_count: number
        readonly description: string
        readonly description_auto: boolean
      }[]
      readonly current: string
      readonly active: string
    }
  }
  'GET /api/providers/oauth': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly providers: readonly {
        readonly id: string
        readonly name: string
        readonly flow: 'pkce' | 'device_code' | 'external'
        readonly cli_command: string
        readonly docs_url: string | null
        readonly disconnectable: boolean
        readonly disconnect_hint: string | null
        readonly disconnect_command: string | null
        readonly status: {
          readonly logged_in: boolean
          readonly source: string | null
          readonly source_label: string | null
          readonly token_preview: string | null
          readonly expires_at: number | null
          readonly has_refresh_token: boolean
          readonly error?: string
        }
      }[]
    }
  }
  'GET /api/providers/oauth/:id/poll/:session': {
    params: { readonly id: string; readonly session: string }
    query: {}
    body: undefined
    result: {
      readonly session_id: string
      readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'error'
      readonly error_message: string | null
      readonly expires_at: number
    }
  }
  'GET /api/sessions': {
    params: {}
    query: {
      readonly limit?: number | undefined
      readonly offset?: number | undefined
      readonly min_messages?: number | undefined
      readonly archived?: 'exclude' | 'only' | 'include' | undefined
      readonly order?: 'created' | 'recent' | undefined
      readonly source?: string | undefined
      readonly exclude_sources?: string | undefined
      readonly cwd_prefix?: string | undefined
      readonly title?: string | undefined
    }
    body: undefined
    result: {
      readonly sessions: readonly {
        readonly id: string
        readonly title: string | null
        readonly preview: string | null
        readonly cwd: string
        readonly source: string
        readonly started_at: number
        readonly last_active: number
        readonly message_count: number
        readonly tool_call_count: number
        readonly archived: boolean
        readonly parent_session_id: string | null
        readonly usage: { readonly input?: number; readonly output?: number; readonly costUsd?: number }
      }[]
      readonly total: number
      readonly limit: number
      readonly offset: number
    }
  }
  'GET /api/sessions/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly id: string
      readonly title: string | null
      readonly preview: string | null
      readonly cwd: string
      readonly source: string
      readonly started_at: number
      readonly last_active: number
      readonly message_count: number
      readonly tool_call_count: number
      readonly archived: boolean
      readonly parent_session_id: string | null
      readonly usage: { readonly input?: number; readonly output?: number; readonly costUsd?: number }
    }
  }
  'GET /api/sessions/:id/export': { params: { readonly id: string }; query: {}; body: undefined; result: unknown }
  'GET /api/sessions/:id/family': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly sessions: readonly {
        readonly id: string
        readonly title: string | null
        readonly preview: string | null
        readonly cwd: string
        readonly source: string
        readonly started_at: number
        readonly last_active: number
        readonly message_count: number
        readonly tool_call_count: number
        readonly archived: boolean
        readonly parent_session_id: string | null
        readonly usage: { readonly input?: number; readonly output?: number; readonly costUsd?: number }
      }[]
    }
  }
  'GET /api/sessions/:id/messages': {
    params: { readonly id: string }
    query: { readonly limit?: number | undefined; readonly offset?: number | undefined }
    body: undefined
    result: {
      readonly session_id: string
      readonly messages: readonly {
        readonly role: 'user' | 'assistant' | 'tool' | 'system'
        readonly text: string
        readonly timestamp: number
        readonly reasoning?: string
        readonly tool_id?: string
        readonly failed?: boolean
        readonly tool_calls?: readonly { readonly id: string; readonly name: string }[]
      }[]
      readonly pagination: {
        readonly limit: number
        readonly offset: number
        readonly returned: number
        readonly total: number
      }
    }
  }
  'GET /api/sessions/search': {
    params: {}
    query: { readonly q?: string | undefined; readonly limit?: number | undefined }
    body: undefined
    result: {
      readonly results: readonly {
        readonly session_id: string
        readonly title: string | null
        readonly snippet: string
        readonly role: string
        readonly source: string
        readonly at: number
        readonly message_index: number | null
      }[]
    }
  }
  'GET /api/sessions/stats': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly total: number
      readonly archived: number
      readonly messages: number
      readonly bytes: number
      readonly by_source: Readonly<Record<string, number>>
    }
  }
  'GET /api/skills': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly skills: readonly {
        readonly name: string
        readonly description: string
        readonly category: string | null
        readonly enabled: boolean
        readonly unavailable: string | null
        readonly provenance: string
        readonly trust: string
        readonly source: string | null
        readonly tags: readonly string[]
        readonly version: string | null
      }[]
      readonly problems: readonly { readonly folder: string; readonly reason: string }[]
    }
  }
  'GET /api/skills/content': {
    params: {}
    query: { readonly name: string; readonly path?: string | undefined }
    body: undefined
    result: {
      readonly name: string
      readonly path: string
      readonly content: string
      readonly files: readonly { readonly path: string; readonly bytes: number }[]
      readonly missing: readonly string[]
    }
  }
  'GET /api/skills/hub/preview': {
    params: {}
    query: { readonly identifier: string }
    body: undefined
    result: {
      readonly name: string
      readonly description: string
      readonly identifier: string
      readonly source: string
      readonly trust_level: string
      readonly verdict: string
      readonly content: string
      readonly policy: 'allow' | 'forced' | 'block'
      readonly digest: string
      readonly files: readonly { readonly path: string; readonly bytes: number }[]
      readonly findings: readonly {
        readonly rule: string
        readonly severity: string
        readonly file: string
        readonly message: string
        readonly line: number | null
      }[]
    }
  }
  'GET /api/skills/hub/search': {
    params: {}
    query: { readonly q: string; readonly source?: string | undefined; readonly limit?: number | undefined }
    body: undefined
    result: {
      readonly results: readonly {
        readonly identifier: string
        readonly name: string
        readonly description: string
        readonly source: string
        readonly trust_level: string
        readonly installed: boolean
      }[]
      readonly failed: readonly { readonly source: string; readonly reason: string }[]
    }
  }
  'GET /api/skills/hub/sources': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly sources: readonly { readonly name: string; readonly can_search: boolean; readonly forms: string }[]
      readonly installed: readonly { readonly name: string; readonly identifier: string; readonly verdict: string }[]
      readonly removed: readonly { readonly name: string; readonly identifier: string; readonly removed_at: number }[]
    }
  }
  'GET /api/status': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly version: string
      readonly status: 'ok'
      readonly auth_required: boolean
      readonly gateway_running: boolean
      readonly gateway_state: string | null
      readonly uptime_seconds: number
    }
  }
  'GET /api/system/stats': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly os: string
      readonly os_release: string
      readonly arch: string
      readonly hostname: string
      readonly node_version: string
      readonly svc_version: string
      readonly cpu_count: number
      readonly load_avg: readonly number[]
      readonly uptime_seconds: number
      readonly memory: { readonly total: number; readonly available: number }
      readonly disk: { readonly total: number; readonly free: number } | null
      readonly process: { readonly pid: number; readonly rss: number; readonly uptime_seconds: number }
      readonly home: string
      readonly profile: string | null
    }
  }
  'GET /api/tools/toolsets': {
    params: {}
    query: { readonly surface?: string | undefined }
    body: undefined
    result: {
      readonly toolsets: readonly {
        readonly name: string
        readonly enabled: boolean
        readonly because: string | null
        readonly tools: readonly { readonly name: string; readonly enabled: boolean; readonly missing: string | null }[]
      }[]
    }
  }
  'GET /api/webhooks': {
    params: {}
    query: {}
    body: undefined
    result: {
      readonly subscriptions: readonly {
        readonly name: string
        readonly url: string
        readonly style: 'github' | 'gitlab' | 'svix' | 'generic' | 'generic-v1'
        readonly events: readonly string[]
        readonly skills: readonly string[]
        readonly prompt: string
        readonly deliver: string
        readonly deliver_only: boolean
        readonly enabled: boolean
        readonly secret_set: boolean
        readonly problem: string | null
        readonly can_change: boolean
      }[]
      readonly styles: readonly ('github' | 'gitlab' | 'svix' | 'generic' | 'generic-v1')[]
    }
  }
  'GET /api/why/:id': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly trace: string
      readonly stages: readonly { readonly at: number; readonly stage: string; readonly text: string }[]
    }
  }
  'PATCH /api/plugins/kanban/boards/:slug': {
    params: { readonly slug: string }
    query: {}
    body: {
      readonly name?: (string | null) | undefined
      readonly description?: (string | null) | undefined
      readonly icon?: (string | null) | undefined
      readonly color?: (string | null) | undefined
      readonly default_workdir?: (string | null) | undefined
      readonly budget_usd?: (number | null) | undefined
      readonly archived?: boolean | undefined
    }
    result: {
      readonly board: {
        readonly slug: string
        readonly name: string
        readonly description: string
        readonly icon: string | null
        readonly color: string | null
        readonly default_workdir: string | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly created_at: number
        readonly archived: boolean
      }
    }
  }
  'PATCH /api/plugins/kanban/profiles/:name': {
    params: { readonly name: string }
    query: {}
    body: { readonly description: string }
    result: {
      readonly ok: boolean
      readonly profile: string
      readonly reason?: string | null
      readonly description: string
    }
  }
  'PATCH /api/plugins/kanban/tasks/:id': {
    params: { readonly id: string }
    query: {}
    body: {
      readonly status?: string | undefined
      readonly assignee?: (string | null) | undefined
      readonly priority?: number | undefined
      readonly title?: string | undefined
      readonly body?: string | undefined
      readonly block_reason?: (string | null) | undefined
      readonly not_before?: (number | null) | undefined
      readonly result?: (string | null) | undefined
      readonly summary?: (string | null) | undefined
      readonly metadata?: (Readonly<Record<string, unknown>> | null) | undefined
      readonly unverified?: boolean | undefined
    }
    result: {
      readonly task: {
        readonly id: string
        readonly board: string
        readonly title: string
        readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly assignee: string | null
        readonly priority: number
        readonly tenant: string | null
        readonly created_at: number
        readonly updated_at: number
        readonly started_at: number | null
        readonly completed_at: number | null
        readonly not_before: number | null
        readonly consecutive_failures: number
        readonly last_failure_error: string | null
        readonly block_kind: string | null
        readonly block_reason: string | null
        readonly latest_summary: string | null
        readonly verified: boolean | null
        readonly body: string
        readonly created_by: string
        readonly workspace_kind: 'scratch' | 'dir' | 'worktree'
        readonly workspace_path: string | null
        readonly branch_name: string | null
        readonly result: string | null
        readonly metadata: Readonly<Record<string, unknown>> | null
        readonly skills: readonly string[]
        readonly model_override: string | null
        readonly max_runtime_seconds: number | null
        readonly max_retries: number | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly budget_unknown_cost_runs: number
        readonly session_id: string | null
        readonly idempotency_key: string | null
        readonly checks: readonly { readonly type: string }[]
        readonly evidence: readonly {
          readonly check: number
          readonly met: boolean
          readonly detail: string
          readonly at: number
        }[]
        readonly block_recurrences: number
        readonly claim_lock: string | null
        readonly claim_expires: number | null
        readonly current_run_id: number | null
        readonly worker_pid: number | null
        readonly last_heartbeat_at: number | null
      }
    }
  }
  'PATCH /api/profiles/:name': {
    params: { readonly name: string }
    query: {}
    body: { readonly new_name: string }
    result: { readonly ok: true; readonly name: string; readonly path: string }
  }
  'PATCH /api/sessions/:id': {
    params: { readonly id: string }
    query: {}
    body: { readonly title?: string | undefined; readonly archived?: boolean | undefined }
    result: {
      readonly id: string
      readonly title: string | null
      readonly preview: string | null
      readonly cwd: string
      readonly source: string
      readonly started_at: number
      readonly last_active: number
      readonly message_count: number
      readonly tool_call_count: number
      readonly archived: boolean
      readonly parent_session_id: string | null
      readonly usage: { readonly input?: number; readonly output?: number; readonly costUsd?: number }
    }
  }
  'POST /api/approvals/:id': {
    params: { readonly id: string }
    query: {}
    body: { readonly choice: 'once' | 'session' | 'project' | 'always' | 'deny'; readonly reason?: string | undefined }
    result: { readonly ok: true }
  }
  'POST /api/auth/logout': { params: {}; query: {}; body: undefined; result: { readonly ok: true } }
  'POST /api/auth/password-login': {
    params: {}
    query: {}
    body: { readonly username: string; readonly password: string; readonly next?: string | undefined }
    result: { readonly ok: true; readonly next: string }
  }
  'POST /api/auth/ws-ticket': {
    params: {}
    query: {}
    body: undefined
    result: { readonly ticket: string; readonly expires_in: number }
  }
  'POST /api/checkpoints/:number/restore': {
    params: { readonly number: string }
    query: {}
    body: { readonly cwd: string; readonly file?: string | undefined }
    result: { readonly ok: true; readonly result: unknown }
  }
  'POST /api/config/check': {
    params: {}
    query: {}
    body: { readonly yaml_text?: string | undefined }
    result: {
      readonly problems: readonly {
        readonly severity: 'error' | 'warning'
        readonly path: string
        readonly message: string
        readonly hint?: string
        readonly line?: number
      }[]
    }
  }
  'POST /api/config/undo': {
    params: {}
    query: {}
    body: { readonly id?: number | undefined }
    result: {
      readonly ok: true
      readonly change: {
        readonly id: number
        readonly at: number
        readonly author: string
        readonly reason: string
        readonly diff: string
        readonly undone_by: number | null
      } | null
    }
  }
  'POST /api/credentials/pool': {
    params: {}
    query: {}
    body: { readonly provider: string; readonly api_key: string; readonly label?: string | undefined }
    result: { readonly ok: true; readonly id: string }
  }
  'POST /api/cron/jobs': {
    params: {}
    query: {}
    body: {
      readonly name?: string | undefined
      readonly prompt?: string | undefined
      readonly deliver?: string | undefined
      readonly skills?: readonly string[] | undefined
      readonly provider?: (string | null) | undefined
      readonly model?: (string | null) | undefined
      readonly script?: (string | null) | undefined
      readonly no_agent?: boolean | undefined
      readonly context_from?: readonly string[] | undefined
      readonly enabled_toolsets?: (readonly string[] | null) | undefined
      readonly workdir?: (string | null) | undefined
      readonly repeat?: (number | null) | undefined
      readonly budget_usd?: (number | null) | undefined
      readonly schedule: string
    }
    result: {
      readonly id: string
      readonly name: string
      readonly prompt: string
      readonly script: string | null
      readonly no_agent: boolean
      readonly skills: readonly string[]
      readonly schedule: { readonly kind: string; readonly display: string }
      readonly repeat: { readonly times: number | null; readonly completed: number }
      readonly enabled: boolean
      readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
      readonly paused_reason: string | null
      readonly deliver: string
      readonly provider: string | null
      readonly model: string | null
      readonly context_from: readonly string[]
      readonly enabled_toolsets: readonly string[] | null
      readonly workdir: string | null
      readonly budget_usd: number | null
      readonly next_run_at: number | null
      readonly created_at: number
      readonly last_run: unknown
    }
  }
  'POST /api/cron/jobs/:id/pause': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly id: string
      readonly name: string
      readonly prompt: string
      readonly script: string | null
      readonly no_agent: boolean
      readonly skills: readonly string[]
      readonly schedule: { readonly kind: string; readonly display: string }
      readonly repeat: { readonly times: number | null; readonly completed: number }
      readonly enabled: boolean
      readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
      readonly paused_reason: string | null
      readonly deliver: string
      readonly provider: string | null
      readonly model: string | null
      readonly context_from: readonly string[]
      readonly enabled_toolsets: readonly string[] | null
      readonly workdir: string | null
      readonly budget_usd: number | null
      readonly next_run_at: number | null
      readonly created_at: number
      readonly last_run: unknown
    }
  }
  'POST /api/cron/jobs/:id/resume': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly id: string
      readonly name: string
      readonly prompt: string
      readonly script: string | null
      readonly no_agent: boolean
      readonly skills: readonly string[]
      readonly schedule: { readonly kind: string; readonly display: string }
      readonly repeat: { readonly times: number | null; readonly completed: number }
      readonly enabled: boolean
      readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
      readonly paused_reason: string | null
      readonly deliver: string
      readonly provider: string | null
      readonly model: string | null
      readonly context_from: readonly string[]
      readonly enabled_toolsets: readonly string[] | null
      readonly workdir: string | null
      readonly budget_usd: number | null
      readonly next_run_at: number | null
      readonly created_at: number
      readonly last_run: unknown
    }
  }
  'POST /api/cron/jobs/:id/trigger': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly job_id: string
      readonly due_at: number
      readonly trigger: string
      readonly outcome: string
      readonly status: string | null
      readonly reason: string | null
      readonly error: string | null
      readonly output: string | null
      readonly delivery_error: string | null
      readonly session_id: string | null
      readonly started_at: number | null
      readonly ended_at: number | null
      readonly cost_usd: number | null
    }
  }
  'POST /api/cron/preview': {
    params: {}
    query: {}
    body: { readonly schedule: string }
    result: { readonly display: string; readonly next: readonly number[] }
  }
  'POST /api/env/reveal': {
    params: {}
    query: {}
    body: { readonly key: string }
    result: { readonly key: string; readonly value: string }
  }
  'POST /api/files/mkdir': {
    params: {}
    query: {}
    body: { readonly session?: string | undefined; readonly path: string }
    result: { readonly ok: true; readonly path: string }
  }
  'POST /api/files/uploads': {
    params: {}
    query: {}
    body: {
      readonly session?: string | undefined
      readonly path: string
      readonly size: number
      readonly overwrite?: boolean | undefined
    }
    result: { readonly id: string; readonly piece_bytes: number }
  }
  'POST /api/files/uploads/:id/finish': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: {
      readonly ok: true
      readonly entry?: {
        readonly name: string
        readonly path: string
        readonly is_directory: boolean
        readonly is_link: boolean
        readonly size: number
        readonly mtime: number
      }
    }
  }
  'POST /api/mcp/catalog/install': {
    params: {}
    query: {}
    body: {
      readonly name: string
      readonly env?: Readonly<Record<string, string>> | undefined
      readonly replace?: boolean | undefined
    }
    result: { readonly ok: true; readonly name: string; readonly log: string }
  }
  'POST /api/mcp/servers/:name/test': {
    params: { readonly name: string }
    query: {}
    body: undefined
    result: {
      readonly ok: boolean
      readonly error: string | null
      readonly tools: readonly { readonly name: string; readonly description: string }[]
    }
  }
  'POST /api/messaging/platforms/:id/rehearse': {
    params: { readonly id: string }
    query: {}
    body: { readonly chaos?: readonly string[] | undefined }
    result: {
      readonly ok: boolean
      readonly steps: readonly {
        readonly name: string
        readonly result: 'ok' | 'warning' | 'failed'
        readonly detail: string
        readonly advice: string | null
      }[]
    }
  }
  'POST /api/messaging/platforms/:id/test': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: boolean; readonly state: string; readonly message: string }
  }
  'POST /api/model/set': {
    params: {}
    query: {}
    body: {
      readonly scope?: 'main' | 'auxiliary' | undefined
      readonly provider: string | null
      readonly model: string | null
      readonly task?: string | undefined
    }
    result: {
      readonly ok: true
      readonly scope: string
      readonly provider: string | null
      readonly model: string | null
      readonly change: number | null
    }
  }
  'POST /api/outbox/:id/retry': {
    params: { readonly id: string }
    query: {}
    body: undefined
    result: { readonly ok: true }
  }
  'POST /api/pairing/approve': {
    params: {}
    query: {}
    body: { readonly platform: string; readonly code: string }
    result: {
      readonly ok: true
      readonly user: {
        readonly platform: string
        readonly user_id: string
        readonly user_name: string | null
        readonly at: number
      }
    }
  }
  'POST /api/pairing/clear-pending': {
    params: {}
    query: {}
    body: { readonly platform?: string | undefined }
    result: { readonly ok: true; readonly cleared: number }
  }
  'POST /api/pairing/revoke': {
    params: {}
    query: {}
    body: { readonly platform: string; readonly user_id: string }
    result: { readonly ok: true }
  }
  'POST /api/plugins/kanban/boards': {
    params: {}
    query: {}
    body: {
      readonly name?: (string | null) | undefined
      readonly description?: (string | null) | undefined
      readonly icon?: (string | null) | undefined
      readonly color?: (string | null) | undefined
      readonly default_workdir?: (string | null) | undefined
      readonly budget_usd?: (number | null) | undefined
      readonly archived?: boolean | undefined
      readonly slug: string
      readonly switch?: boolean | undefined
    }
    result: {
      readonly board: {
        readonly slug: string
        readonly name: string
        readonly description: string
        readonly icon: string | null
        readonly color: string | null
        readonly default_workdir: string | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly created_at: number
        readonly archived: boolean
      }
    }
  }
  'POST /api/plugins/kanban/boards/:slug/switch': {
    params: { readonly slug: string }
    query: {}
    body: undefined
    result: unknown
  }
  'POST /api/plugins/kanban/dispatch': {
    params: {}
    query: {
      readonly dry_run?: '0' | '1' | 'true' | 'false' | undefined
      readonly max?: number | undefined
      readonly board?: string | undefined
    }
    body: undefined
    result: unknown
  }
  'POST /api/plugins/kanban/links': {
    params: {}
    query: {}
    body: { readonly parent_id: string; readonly child_id: string }
    result: unknown
  }
  'POST /api/plugins/kanban/profiles/:name/describe-auto': {
    params: { readonly name: string }
    query: {}
    body: { readonly overwrite?: (boolean | null) | undefined }
    result: {
      readonly ok: boolean
      readonly profile: string
      readonly reason?: string | null
      readonly description: string
    }
  }
  'POST /api/plugins/kanban/runs/:id/terminate': {
    params: { readonly id: string }
    query: {}
    body: { readonly reason?: (string | null) | undefined }
    result: unknown
  }
  'POST /api/plugins/kanban/tasks': {
    params: {}
    query: { readonly board?: string | undefined }
    body: {
      readonly title: string
      readonly body?: (string | null) | undefined
      readonly assignee?: (string | null) | undefined
      readonly tenant?: (string | null) | undefined
      readonly priority?: (number | null) | undefined
      readonly workspace_kind?: ('scratch' | 'dir' | 'worktree' | null) | undefined
      readonly workspace_path?: (string | null) | undefined
      readonly branch_name?: (string | null) | undefined
      readonly parents?: (readonly string[] | null) | undefined
      readonly triage?: (boolean | null) | undefined
      readonly initial_status?: ('blocked' | null) | undefined
      readonly idempotency_key?: (string | null) | undefined
      readonly max_runtime_seconds?: (number | null) | undefined
      readonly max_retries?: (number | null) | undefined
      readonly skills?: (readonly string[] | null) | undefined
      readonly model_override?: (string | null) | undefined
      readonly session_id?: (string | null) | undefined
      readonly budget_usd?: (number | null) | undefined
      readonly checks?: (readonly { readonly type: 'command' | 'file' | 'hash' | 'http' }[] | null) | undefined
      readonly created_by?: (string | null) | undefined
    }
    result: {
      readonly task: {
        readonly id: string
        readonly board: string
        readonly title: string
        readonly status: 'triage' | 'todo' | 'scheduled' | 'ready' | 'running' | 'blocked' | 'done' | 'archived'
        readonly assignee: string | null
        readonly priority: number
        readonly tenant: string | null
        readonly created_at: number
        readonly updated_at: number
        readonly started_at: number | null
        readonly completed_at: number | null
        readonly not_before: number | null
        readonly consecutive_failures: number
        readonly last_failure_error: string | null
        readonly block_kind: string | null
        readonly block_reason: string | null
        readonly latest_summary: string | null
        readonly verified: boolean | null
        readonly body: string
        readonly created_by: string
        readonly workspace_kind: 'scratch' | 'dir' | 'worktree'
        readonly workspace_path: string | null
        readonly branch_name: string | null
        readonly result: string | null
        readonly metadata: Readonly<Record<string, unknown>> | null
        readonly skills: readonly string[]
        readonly model_override: string | null
        readonly max_runtime_seconds: number | null
        readonly max_retries: number | null
        readonly budget_usd: number | null
        readonly budget_spent_usd: number
        readonly budget_unknown_cost_runs: number
        readonly session_id: string | null
        readonly idempotency_key: string | null
        readonly checks: readonly { readonly type: string }[]
        readonly evidence: readonly {
          readonly check: number
          readonly met: boolean
          readonly detail: string
          readonly at: number
        }[]
        readonly block_recurrences: number
        readonly claim_lock: string | null
        readonly claim_expires: number | null
        readonly current_run_id: number | null
        readonly worker_pid: number | null
        readonly last_heartbeat_at: number | null
      }
      readonly created: boolean
      readonly warning?: string
    }
  }
  'POST /api/plugins/kanban/tasks/:id/attachments': {
    params: { readonly id: string }
    query: { readonly filename?: string | undefined; readonly uploaded_by?: string | undefined }
    body: undefined
    result: {
      readonly attachment: {
        readonly id: number
        readonly task_id: string
        readonly filename: string
        readonly content_type: string
        readonly size: number
        readonly sha256: string
        readonly uploaded_by: string
        readonly created_at: number
      }
    }
  }
  'POST /api/plugins/kanban/tasks/:id/comments': {
    params: { readonly id: string }
    query: {}
    body: { readonly body: string; readonly author?: (string | null) | undefined }
    result: {
      readonly ok: boolean
      readonly comment: {
        readonly id: number
        readonly task_id: string
        readonly author: string
        readonly body: string
        readonly created_at: number
      }
    }
  }
  'POST /api/plugins/kanban/tasks/:id/decompose': {
    params: { readonly id: string }
    query: {}
    body: { readonly author?: (string | null) | undefined }
    result: {
      readonly ok: boolean
      readonly task_id: string
      readonly reason: string | null
      readonly fanout: boolean
      readonly child_ids: readonly string[]
      readonly new_title: string | null
    }
  }
  'POST /api/plugins/kanban/tasks/:id/home-subscribe/:platform': {
    params: { readonly id: string; readonly platform: string }
    query: {}
    body: undefined
    result: {
      readonly ok: boolean
      readonly task_id: string
      readonly home_channel: {
        readonly platform: string
        readonly chat_id: string
        readonly name: string
        readonly subscribed: boolean
      }
    }
  }
  'POST /api/plugins/kanban/tasks/:id/reassign': {
    params: { readonly id: string }
    query: {}
    body: {
      readonly reason?: (string | null) | undefined
      readonly profile?: (string | null) | undefined
      readonly reclaim_first?: boolean | undefined
    }
    result: unknown
  }
  'POST /api/plugins/kanban/tasks/:id/reclaim': {
    params: { readonly id: string }
    query: {}
    body: { readonly reason?: (string | null) | undefined }
    result: unknown
  }
  'POST /api/plugins/kanban/tasks/:id/specify': {
    params: { readonly id: string }
    query: {}
    body: { readonly author?: (string | null) | undefined }
    result: {
      readonly ok: boolean
      readonly task_id: string
      readonly reason: string | null
      readonly fanout: boolean
      readonly child_ids: readonly string[]
      readonly new_title: string | null
    }
  }
  'POST /api/plugins/kanban/tasks/bulk': {
    params: {}
    query: {}
    body: {
      readonly ids: readonly string[]
      readonly status?: string | undefined
      readonly assignee?: (string | null) | undefined
      readonly priority?: number | undefined
      readonly archive?: boolean | undefined
      readonly reclaim_first?: boolean | undefined
      readonly result?: (string | null) | undefined
      readonly summary?: (string | null) | undefined
      readonly metadata?: (Readonly<Record<string, unknown>> | null) | undefined
      readonly unverified?: boolean | undefined
    }
    result: {
      readonly results: readonly {
        readonly id: string
        readonly ok: boolean
        readonly error?: string
        readonly code?: string
      }[]
    }
  }
  'POST /api/profiles': {
    params: {}
    query: {}
    body: {
      readonly name: string
      readonly description?: string | undefined
      readonly clone_from?: string | undefined
      readonly clone_all?: boolean | undefined
      readonly no_skills?: boolean | undefined
      readonly provider?: string | undefined
      readonly model?: string | undefined
      readonly soul?: string | undefined
    }
    result: { readonly ok: true; readonly name: string; readonly path: string; readonly skipped: readonly string[] }
  }
  'POST /api/profiles/:name/describe-auto': {
    params: { readonly name: string }
    query: {}
    body: { readonly overwrite?: boolean | undefined }
    result: {
      readonly ok: boolean
      readonly profile: string
      readonly reason: string | null
      readonly description: string
      readonly description_auto: boolean
    }
  }
  'POST /api/profiles/:name/restore': {
    params: { readonly name: string }
    query: {}
    body: undefined
    result: { readonly ok: true; readonly name: string; readonly path: string }
  }
  'POST /api/profiles/active': {
    params: {}
    query: {}
    body: { readonly name: string }
    result: { readonly ok: true; readonly active: string }
  }
  'POST /api/providers/oauth/:id/start': {
    params: { readonly id: string }
    query: {}
    body: { readonly label?: string | undefined }
    result:
      | {
          readonly session_id: string
          readonly flow: 'pkce'
          readonly auth_url: string
          readonly returns: 'loopback' | 'paste'
          readonly expires_in: number
        }
      | {
          readonly session_id: string
          readonly flow: 'device_code'
          readonly user_code: string
          readonly verification_url: string
          readonly verification_url_complete?: string
          readonly expires_in: number
          readonly poll_interval: number
        }
  }
  'POST /api/providers/oauth/:id/submit': {
    params: { readonly id: string }
    query: {}
    body: { readonly session_id: string; readonly code: string }
    result: { readonly ok: boolean; readonly status: 'approved' | 'error'; readonly message?: string }
  }
  'POST /api/sessions/bulk-delete': {
    params: {}
    query: {}
    body: { readonly ids: readonly string[] }
    result: { readonly ok: true; readonly deleted: number }
  }
  'POST /api/sessions/import': {
    params: {}
    query: {}
    body: { readonly session: { readonly id: string } } | readonly { readonly session: { readonly id: string } }[]
    result: {
      readonly ok: boolean
      readonly imported: number
      readonly skipped: number
      readonly imported_ids: readonly string[]
      readonly skipped_ids: readonly string[]
      readonly errors: readonly string[]
    }
  }
  'POST /api/sessions/prune': {
    params: {}
    query: {}
    body: {
      readonly older_than_days?: number | undefined
      readonly source?: string | undefined
      readonly title_like?: string | undefined
      readonly dry_run?: boolean | undefined
    }
    result: {
      readonly ok: true
      readonly removed: number
      readonly matched: number
      readonly sessions: readonly {
        readonly id: string
        readonly title: string | null
        readonly preview: string | null
        readonly cwd: string
        readonly source: string
        readonly started_at: number
        readonly last_active: number
        readonly message_count: number
        readonly tool_call_count: number
        readonly archived: boolean
        readonly parent_session_id: string | null
        readonly usage: { readonly input?: number; readonly output?: number; readonly costUsd?: number }
      }[]
    }
  }
  'POST /api/skills/hub/install': {
    params: {}
    query: {}
    body: {
      readonly identifier: string
      readonly digest: string
      readonly category?: string | undefined
      readonly force?: boolean | undefined
    }
    result: { readonly ok: true; readonly name: string }
  }
  'POST /api/skills/hub/remove': {
    params: {}
    query: {}
    body: { readonly name: string }
    result: { readonly ok: true; readonly name: string }
  }
  'POST /api/skills/hub/restore': {
    params: {}
    query: {}
    body: { readonly name: string }
    result: { readonly ok: true; readonly name: string }
  }
  'POST /api/webhooks': {
    params: {}
    query: {}
    body: {
      readonly name: string
      readonly style?: 'github' | 'gitlab' | 'svix' | 'generic' | 'generic-v1' | undefined
      readonly events?: readonly string[] | undefined
      readonly prompt?: string | undefined
      readonly skills?: readonly string[] | undefined
      readonly deliver?: string | undefined
      readonly deliver_only?: boolean | undefined
      readonly secret?: string | undefined
    }
    result: { readonly ok: true; readonly name: string; readonly url: string; readonly secret: string }
  }
  'PUT /api/config': {
    params: {}
    query: {}
    body: { readonly edits: Readonly<Record<string, unknown>> }
    result: {
      readonly ok: true
      readonly change: {
        readonly id: number
        readonly at: number
        readonly author: string
        readonly reason: string
        readonly diff: string
        readonly undone_by: number | null
      } | null
    }
  }
  'PUT /api/config/raw': {
    params: {}
    query: {}
    body: { readonly yaml_text: string; readonly base?: string | undefined }
    result: {
      readonly ok: true
      readonly change: {
        readonly id: number
        readonly at: number
        readonly author: string
        readonly reason: string
        readonly diff: string
        readonly undone_by: number | null
      } | null
      readonly version: string
    }
  }
  'PUT /api/cron/jobs/:id': {
    params: { readonly id: string }
    query: {}
    body: {
      readonly name?: string | undefined
      readonly prompt?: string | undefined
      readonly deliver?: string | undefined
      readonly skills?: readonly string[] | undefined
      readonly provider?: (string | null) | undefined
      readonly model?: (string | null) | undefined
      readonly script?: (string | null) | undefined
      readonly no_agent?: boolean | undefined
      readonly context_from?: readonly string[] | undefined
      readonly enabled_toolsets?: (readonly string[] | null) | undefined
      readonly workdir?: (string | null) | undefined
      readonly repeat?: (number | null) | undefined
      readonly budget_usd?: (number | null) | undefined
      readonly schedule?: string | undefined
    }
    result: {
      readonly id: string
      readonly name: string
      readonly prompt: string
      readonly script: string | null
      readonly no_agent: boolean
      readonly skills: readonly string[]
      readonly schedule: { readonly kind: string; readonly display: string }
      readonly repeat: { readonly times: number | null; readonly completed: number }
      readonly enabled: boolean
      readonly state: 'scheduled' | 'paused' | 'completed' | 'removed'
      readonly paused_reason: string | null
      readonly deliver: string
      readonly provider: string | null
      readonly model: string | null
      readonly context_from: readonly string[]
      readonly enabled_toolsets: readonly string[] | null
      readonly workdir: string | null
      readonly budget_usd: number | null
      readonly next_run_at: number | null
      readonly created_at: number
      readonly last_run: unknown
    }
  }
  'PUT /api/env': {
    params: {}
    query: {}
    body: { readonly key: string; readonly value: string }
    result: { readonly ok: true; readonly key: string }
  }
  'PUT /api/files/uploads/:id': {
    params: { readonly id: string }
    query: { readonly offset: number }
    body: undefined
    result: { readonly received: number }
  }
  'PUT /api/messaging/platforms/:id': {
    params: { readonly id: string }
    query: {}
    body: {
      readonly enabled?: boolean | undefined
      readonly env?: Readonly<Record<string, string>> | undefined
      readonly clear_env?: readonly string[] | undefined
    }
    result: {
      readonly ok: true
      readonly platform: {
        readonly id: string
        readonly name: string
        readonly description: string
        readonly enabled: boolean
        readonly configured: boolean
        readonly gateway_running: boolean
        readonly state: string
        readonly error_code: string | null
        readonly error_message: string | null
        readonly updated_at: number | null
        readonly home_channel: string | null
        readonly env_vars: readonly {
          readonly key: string
          readonly description: string
          readonly is_password: boolean
          readonly is_set: boolean
          readonly redacted_value: string | null
        }[]
      }
    }
  }
  'PUT /api/plugins/:name': {
    params: { readonly name: string }
    query: {}
    body: { readonly enabled: boolean }
    result: {
      readonly ok: true
      readonly plugin: {
        readonly name: string
        readonly version: string
        readonly kind: string
        readonly description: string
        readonly origin: string
        readonly status: string
        readonly reason: string | null
        readonly can_switch: boolean
        readonly is_disabled: boolean
        readonly provides: readonly string[]
      }
    }
  }
  'PUT /api/plugins/kanban/orchestration': {
    params: {}
    query: {}
    body: {
      readonly orchestrator_profile?: (string | null) | undefined
      readonly default_assignee?: (string | null) | undefined
      readonly auto_decompose?: boolean | undefined
    }
    result: unknown
  }
  'PUT /api/profiles/:name/description': {
    params: { readonly name: string }
    query: {}
    body: { readonly description: string }
    result: {
      readonly ok: boolean
      readonly profile: string
      readonly reason: string | null
      readonly description: string
      readonly description_auto: boolean
    }
  }
  'PUT /api/skills/toggle': {
    params: {}
    query: {}
    body: { readonly name: string; readonly enabled: boolean }
    result: { readonly ok: true; readonly name: string; readonly enabled: boolean }
  }
  'PUT /api/tools/toolsets/:name': {
    params: { readonly name: string }
    query: {}
    body: { readonly enabled: boolean; readonly surface?: string | undefined }
    result: { readonly ok: true; readonly name: string; readonly enabled: boolean }
  }
  'PUT /api/webhooks/:name/enabled': {
    params: { readonly name: string }
    query: {}
    body: { readonly enabled: boolean }
    result: {
      readonly ok: true
      readonly subscription: {
        readonly name: string
        readonly url: string
        readonly style: 'github' | 'gitlab' | 'svix' | 'generic' | 'generic-v1'
        readonly events: readonly string[]
        readonly skills: readonly string[]
        readonly prompt: string
        readonly deliver: string
        readonly deliver_only: boolean
        readonly enabled: boolean
        readonly secret_set: boolean
        readonly problem: string | null
        readonly can_change: boolean
      }
    }
  }
}
export interface Methods {
  'approval.respond': {
    params: {
      readonly session_id: string
      readonly request_id?: string | undefined
      readonly choice: 'once' | 'session' | 'project' | 'always' | 'deny'
      readonly all?: boolean | undefined
    }
    result: { readonly resolved: number }
  }
  'clarify.respond': {
    params: { readonly request_id: string; readonly answer: string }
    result: { readonly status: 'ok' }
  }
  'commands.catalog': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly commands: readonly {
        readonly name: string
        readonly aliases: readonly string[]
        readonly description: string
        readonly category?: string
        readonly args_hint?: string
        readonly subcommands: readonly unknown[]
      }[]
    }
  }
  'complete.slash': {
    params: { readonly session_id: string; readonly text: string }
    result: {
      readonly items: readonly {
        readonly text: string
        readonly from: number
        readonly label?: string
        readonly detail?: string
        readonly open?: boolean
      }[]
    }
  }
  'config.get': {
    params: { readonly key: string }
    result: {
      readonly key: string
      readonly value: unknown
      readonly default: unknown
      readonly secret: boolean
      readonly description?: string
    }
  }
  'config.set': {
    params: { readonly key: string; readonly value: unknown; readonly session_id?: string | undefined }
    result: { readonly key: string; readonly value: unknown; readonly scope?: 'session'; readonly change?: number }
  }
  'delegation.pause': { params: { readonly paused?: boolean | undefined }; result: { readonly paused: boolean } }
  'delegation.status': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly active: readonly {
        readonly subagent_id: string
        readonly parent_id: string | null
        readonly session_id: string
        readonly child_session_id?: string
        readonly delegation_id: string
        readonly depth: number
        readonly goal: string
        readonly model?: string
        readonly started_at: number
        readonly status: string
        readonly tool_count: number
        readonly last_tool: string | null
      }[]
      readonly paused: boolean
      readonly max_spawn_depth: number
      readonly max_concurrent_children: number
    }
  }
  'model.options': {
    params: { readonly provider: string }
    result: {
      readonly provider: string
      readonly models: readonly {
        readonly id: string
        readonly label?: string
        readonly contextWindow?: number
        readonly maxOutputTokens?: number
        readonly price?: {
          readonly input: number
          readonly output: number
          readonly cachedInput?: number
          readonly cacheWriteInput?: number
          readonly source?: string
          readonly asOf?: string
        }
        readonly images?: boolean
        readonly tools?: boolean
        readonly reasoning?: boolean
      }[]
    }
  }
  'pages.watch': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly pages: readonly {
        readonly name: string
        readonly title: string
        readonly plugin: string
        readonly group: 'work' | 'setup' | 'insight'
        readonly frame?: {
          readonly address: string
          readonly version: string
          readonly routes: readonly string[]
          readonly methods: readonly string[]
        }
      }[]
      readonly slots: readonly {
        readonly name: string
        readonly title: string
        readonly plugin: string
        readonly place: string
      }[]
    }
  }
  'prompt.submit': {
    params: {
      readonly session_id: string
      readonly text: string
      readonly images?: readonly { readonly media_type: string; readonly data: string }[] | undefined
      readonly when_busy?: 'interrupt' | 'queue' | 'steer' | undefined
      readonly key?: string | undefined
    }
    result: { readonly status: 'streaming' | 'queued' | 'steered' | 'known'; readonly state?: unknown }
  }
  'rpc.discover': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly methods: readonly {
        readonly name: string
        readonly summary: string
        readonly params: unknown
        readonly result: unknown
      }[]
    }
  }
  'rpc.ping': { params: Readonly<Record<string, unknown>>; result: Readonly<Record<string, never>> }
  'secret.respond': {
    params: { readonly request_id: string; readonly value: string }
    result: { readonly status: 'ok' }
  }
  'session.active_list': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly sessions: readonly {
        readonly id: string
        readonly title: string | null
        readonly cwd: string
        readonly source: string
        readonly started_at: number
        readonly last_active: number
        readonly message_count: number
        readonly session_id: string
        readonly session_key: string
        readonly stored_session_id: string
        readonly status: 'idle' | 'working' | 'waiting'
      }[]
    }
  }
  'session.branch': {
    params: { readonly session_id: string; readonly name?: string | undefined; readonly at?: number | undefined }
    result: {
      readonly session_id: string
      readonly session_key: string
      readonly stored_session_id: string
      readonly message_count: number
      readonly messages: readonly {
        readonly role: 'system' | 'user' | 'assistant' | 'tool'
        readonly text: string
        readonly timestamp: number
        readonly reasoning?: string
        readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
        readonly tool_id?: string
        readonly failed?: true
      }[]
      readonly info: { readonly cwd: string; readonly model?: string; readonly provider?: string }
      readonly running: boolean
      readonly cursor: number
      readonly questions: readonly unknown[]
      readonly failure?: { readonly code: string; readonly message: string }
      readonly taken?: Readonly<Record<string, unknown>>
      readonly resumed?: true
      readonly parent: string
    }
  }
  'session.close': { params: { readonly session_id: string }; result: { readonly closed: boolean } }
  'session.compress': {
    params: { readonly session_id: string; readonly focus_topic?: string | undefined }
    result: {
      readonly before_messages: number
      readonly after_messages: number
      readonly before_tokens: number
      readonly after_tokens: number
      readonly summary?: string
    }
  }
  'session.create': {
    params: {
      readonly cwd?: string | undefined
      readonly title?: string | undefined
      readonly model?: string | undefined
      readonly provider?: string | undefined
      readonly reasoning_effort?: 'none' | 'low' | 'medium' | 'high' | 'xhigh' | undefined
      readonly toolsets?: readonly string[] | undefined
      readonly system_prompt?: string | undefined
    }
    result: {
      readonly session_id: string
      readonly session_key: string
      readonly stored_session_id: string
      readonly message_count: number
      readonly messages: readonly {
        readonly role: 'system' | 'user' | 'assistant' | 'tool'
        readonly text: string
        readonly timestamp: number
        readonly reasoning?: string
        readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
        readonly tool_id?: string
        readonly failed?: true
      }[]
      readonly info: { readonly cwd: string; readonly model?: string; readonly provider?: string }
      readonly running: boolean
      readonly cursor: number
      readonly questions: readonly unknown[]
      readonly failure?: { readonly code: string; readonly message: string }
      readonly taken?: Readonly<Record<string, unknown>>
      readonly resumed?: true
    }
  }
  'session.delete': { params: { readonly session_id: string }; result: { readonly deleted: boolean } }
  'session.events': {
    params: { readonly session_id: string; readonly after?: number | undefined }
    result: {
      readonly events: readonly { readonly type: string; readonly seq: number; readonly turnId: string }[]
      readonly more: boolean
    }
  }
  'session.history': {
    params: { readonly session_id: string }
    result: {
      readonly count: number
      readonly messages: readonly {
        readonly role: 'system' | 'user' | 'assistant' | 'tool'
        readonly text: string
        readonly timestamp: number
        readonly reasoning?: string
        readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
        readonly tool_id?: string
        readonly failed?: true
      }[]
    }
  }
  'session.interrupt': { params: { readonly session_id: string }; result: { readonly status: 'interrupted' | 'idle' } }
  'session.list': {
    params: { readonly limit?: number | undefined; readonly cwd?: string | undefined }
    result: {
      readonly sessions: readonly {
        readonly id: string
        readonly title: string | null
        readonly cwd: string
        readonly source: string
        readonly started_at: number
        readonly last_active: number
        readonly message_count: number
      }[]
    }
  }
  'session.most_recent': {
    params: { readonly cwd?: string | undefined }
    result:
      | {
          readonly id: string
          readonly title: string | null
          readonly cwd: string
          readonly source: string
          readonly started_at: number
          readonly last_active: number
          readonly message_count: number
        }
      | { readonly id: null }
  }
  'session.resume': {
    params: {
      readonly session_id: string
      readonly after?: number | undefined
      readonly keys?: readonly string[] | undefined
    }
    result: {
      readonly session_id: string
      readonly session_key: string
      readonly stored_session_id: string
      readonly message_count: number
      readonly messages: readonly {
        readonly role: 'system' | 'user' | 'assistant' | 'tool'
        readonly text: string
        readonly timestamp: number
        readonly reasoning?: string
        readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
        readonly tool_id?: string
        readonly failed?: true
      }[]
      readonly info: { readonly cwd: string; readonly model?: string; readonly provider?: string }
      readonly running: boolean
      readonly cursor: number
      readonly questions: readonly unknown[]
      readonly failure?: { readonly code: string; readonly message: string }
      readonly taken?: Readonly<Record<string, unknown>>
      readonly resumed?: true
    }
  }
  'session.steer': {
    params: { readonly session_id: string; readonly text: string }
    result: { readonly status: 'queued' | 'rejected'; readonly text: string }
  }
  'session.title': {
    params: { readonly session_id: string; readonly title?: string | undefined }
    result: { readonly title: string | null; readonly session_key: string }
  }
  'session.usage': {
    params: { readonly session_id: string }
    result: {
      readonly input?: number
      readonly output?: number
      readonly cachedInput?: number
      readonly cacheWriteInput?: number
      readonly reasoning?: number
      readonly costUsd?: number
      readonly unpricedCalls?: number
    }
  }
  'setup.runtime_check': {
    params: { readonly provider?: string | undefined }
    result: {
      readonly ok: boolean
      readonly provider_configured: boolean
      readonly provider?: string
      readonly model?: string
      readonly source?: 'configured' | 'found' | 'demo'
      readonly error?: string
      readonly code?: string
    }
  }
  'setup.status': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly ok: boolean
      readonly provider_configured: boolean
      readonly provider?: string
      readonly model?: string
      readonly source?: 'configured' | 'found' | 'demo'
      readonly error?: string
      readonly code?: string
    }
  }
  'slash.exec': {
    params: { readonly session_id: string; readonly command: string; readonly key?: string | undefined }
    result: { readonly output: string; readonly warning?: 'failed' }
  }
  'spawn_tree.list': {
    params: { readonly session_id: string }
    result: {
      readonly trees: readonly {
        readonly id: string
        readonly createdAt: number
        readonly endedAt?: number
        readonly mode: 'inline' | 'background'
        readonly children: readonly {
          readonly id: string
          readonly goal: string
          readonly role: string
          readonly sessionId?: string
          readonly result?: unknown
          readonly delegations: readonly unknown[]
        }[]
      }[]
    }
  }
  'subagent.interrupt': {
    params: { readonly subagent_id: string }
    result: { readonly found: boolean; readonly subagent_id: string }
  }
  'tools.list': {
    params: Readonly<Record<string, unknown>>
    result: {
      readonly toolsets: readonly {
        readonly name: string
        readonly on: boolean
        readonly because?: string
        readonly tools: readonly { readonly name: string; readonly on: boolean; readonly missing?: string }[]
      }[]
    }
  }
}
