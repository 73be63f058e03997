/** The versions of config.yaml: what each step changes, which variables it introduces, and how steps are taken. */
import {
  type ConfigMigration,
  type PluginContext,
  Plugins,
  Secrets,
  SvcError,
  type YamlChange,
  type YamlText,
} from 'svc/sdk'
import { readText, writeText } from './atomic-write.ts'
import { type ConfigText, configText } from './config-text.ts'
import { declaredVariables } from './secrets.ts'
import type { ConfigWriter } from './writer.ts'

type Values = YamlText['values']

/** From the version before to `to`. */
export interface Migration {
  readonly to: number
  readonly description: string
  /** Variables that are asked for once. Every variable of a built-in plugin is introduced by exactly one step. */
  readonly env: readonly string[]
  /** What to change in a file of these values. A step renames, removes or writes values that are no defaults. */
  changes?(values: Values): readonly YamlChange[]
}

export const migrations: readonly Migration[] = [
  {
    to: 1,
    description: 'Model servers read their keys from .env',
    env: [
      'ANTHROPIC_API_KEY',
      'API_SERVER_CORS_ORIGINS',
      'API_SERVER_ENABLED',
      'API_SERVER_HOST',
      'API_SERVER_KEY',
      'API_SERVER_MODEL_NAME',
      'API_SERVER_PORT',
      'AWS_ACCESS_KEY_ID',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AWS_DEFAULT_REGION',
      'AWS_PROFILE',
      'AWS_REGION',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'AWS_SHARED_CREDENTIALS_FILE',
      'AZURE_OPENAI_API_KEY',
      'AZURE_OPENAI_ENDPOINT',
      'BEDROCK_BASE_URL',
      'BRAVE_API_KEY',
      'BRAVE_SEARCH_API_KEY',
      'CHROME_PATH',
      'COLORTERM',
      'CUSTOM_API_KEY',
      'DASHSCOPE_API_KEY',
      'DASHSCOPE_BASE_URL',
      'DEEPINFRA_API_KEY',
      'DEEPINFRA_BASE_URL',
      'DEEPSEEK_API_KEY',
      'DEEPSEEK_BASE_URL',
      'DINGTALK_ALLOWED_CHATS',
      'DINGTALK_ALLOWED_USERS',
      'DINGTALK_ALLOW_ALL_USERS',
      'DINGTALK_CLIENT_ID',
      'DINGTALK_CLIENT_SECRET',
      'DINGTALK_HOME_CHANNEL',
      'DISCORD_ALLOWED_CHANNELS',
      'DISCORD_ALLOWED_ROLES',
      'DISCORD_ALLOWED_USERS',
      'DISCORD_ALLOW_ALL_USERS',
      'DISCORD_BOT_TOKEN',
      'DISCORD_HOME_CHANNEL',
      'DISPLAY',
      'EDITOR',
      'ELEVENLABS_API_KEY',
      'EMAIL_ADDRESS',
      'EMAIL_ALLOWED_USERS',
      'EMAIL_AUTHSERV_ID',
      'EMAIL_HOME_ADDRESS',
      'EMAIL_IMAP_HOST',
      'EMAIL_PASSWORD',
      'EMAIL_SMTP_HOST',
      'EXA_API_KEY',
      'FIRECRAWL_API_KEY',
      'FIRECRAWL_API_URL',
      'FIREWORKS_API_KEY',
      'GATEWAY_ALLOWED_USERS',
      'GATEWAY_ALLOW_ALL_USERS',
      'GEMINI_API_KEY',
      'GITHUB_TOKEN',
      'GLM_API_KEY',
      'GLM_BASE_URL',
      'GOOGLE_API_KEY',
      'GROQ_API_KEY',
      'HASS_TOKEN',
      'HASS_URL',
      'HF_BASE_URL',
      'HF_TOKEN',
      'IMAGE_API_KEY',
      'IRC_ALLOWED_USERS',
      'IRC_ALLOW_ALL_USERS',
      'IRC_CHANNEL',
      'IRC_HOME_CHANNEL',
      'IRC_NICKNAME',
      'IRC_NICKSERV_PASSWORD',
      'IRC_PORT',
      'IRC_SERVER',
      'IRC_SERVER_PASSWORD',
      'IRC_USE_TLS',
      'KIMI_API_KEY',
      'KIMI_BASE_URL',
      'KIMI_CN_API_KEY',
      'KIMI_CODING_API_KEY',
      'LLAMA_API_KEY',
      'LM_API_KEY',
      'LM_BASE_URL',
      'MATRIX_ACCESS_TOKEN',
      'MATRIX_ALLOWED_ROOMS',
      'MATRIX_ALLOWED_USERS',
      'MATRIX_ALLOW_ALL_USERS',
      'MATRIX_DEVICE_ID',
      'MATRIX_HOMESERVER',
      'MATRIX_HOME_ROOM',
      'MATRIX_PASSWORD',
      'MATRIX_USER_ID',
      'MATTERMOST_ALLOWED_CHANNELS',
      'MATTERMOST_ALLOWED_USERS',
      'MATTERMOST_ALLOW_ALL_USERS',
      'MATTERMOST_HOME_CHANNEL',
      'MATTERMOST_TOKEN',
      'MATTERMOST_URL',
      'MINIMAX_API_KEY',
      'MINIMAX_BASE_URL',
      'MINIMAX_CN_API_KEY',
      'MINIMAX_CN_BASE_URL',
      'MISTRAL_API_KEY',
      'MOONSHOT_API_KEY',
      'NOVITA_API_KEY',
      'NOVITA_BASE_URL',
      'NO_COLOR',
      'NTFY_ALLOWED_USERS',
      'NTFY_ALLOW_ALL_USERS',
      'NTFY_HOME_CHANNEL',
      'NTFY_MARKDOWN',
      'NTFY_PUBLISH_TOPIC',
      'NTFY_SERVER_URL',
      'NTFY_TOKEN',
      'NTFY_TOPIC',
      'NVIDIA_API_KEY',
      'NVIDIA_BASE_URL',
      'OLLAMA_BASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_BASE_URL',
      'OPENROUTER_API_KEY',
      'OPENROUTER_BASE_URL',
      'SEARXNG_URL',
      'SHELL',
      'SIGNAL_ACCOUNT',
      'SIGNAL_ALLOWED_USERS',
      'SIGNAL_ALLOW_ALL_USERS',
      'SIGNAL_GROUP_ALLOWED_USERS',
      'SIGNAL_HOME_CHANNEL',
      'SIGNAL_HTTP_URL',
      'SLACK_ALLOWED_CHANNELS',
      'SLACK_ALLOWED_USERS',
      'SLACK_ALLOW_ALL_USERS',
      'SLACK_APP_TOKEN',
      'SLACK_BOT_TOKEN',
      'SLACK_HOME_CHANNEL',
      'SLACK_SIGNING_SECRET',
      'SMS_ALLOWED_USERS',
      'SMS_ALLOW_ALL_USERS',
      'SMS_HOME_CHANNEL',
      'SMS_INSECURE_NO_SIGNATURE',
      'SMS_WEBHOOK_HOST',
      'SMS_WEBHOOK_PORT',
      'SMS_WEBHOOK_URL',
      'SPEECH_API_KEY',
      'SVC_API_TIMEOUT',
      'SVC_CACHES_URL',
      'SVC_GATEWAY_NO_SUPERVISE',
      'SVC_MAX_ITERATIONS',
      'SVC_WRITE_SAFE_ROOT',
      'TAVILY_API_KEY',
      'TELEGRAM_ALLOWED_CHATS',
      'TELEGRAM_ALLOWED_USERS',
      'TELEGRAM_ALLOW_ALL_USERS',
      'TELEGRAM_BOT_TOKEN',
      'TELEGRAM_HOME_CHANNEL',
      'TELEGRAM_WEBHOOK_PORT',
      'TELEGRAM_WEBHOOK_SECRET',
      'TELEGRAM_WEBHOOK_URL',
      'TERM',
      'TERMINAL_BUBBLEWRAP_PERSISTENT',
      'TERMINAL_DOCKER_PERSISTENT',
      'TERMINAL_ENV',
      'TERMINAL_LOCAL_PERSISTENT',
      'TERMINAL_PERSISTENT_SHELL',
      'TERMINAL_PODMAN_PERSISTENT',
      'TERMINAL_SSH_HOST',
      'TERMINAL_SSH_KEY',
      'TERMINAL_SSH_PERSISTENT',
      'TERMINAL_SSH_PORT',
      'TERMINAL_SSH_USER',
      'TOGETHER_API_KEY',
      'TWILIO_ACCOUNT_SID',
      'TWILIO_AUTH_TOKEN',
      'TWILIO_PHONE_NUMBER',
      'VISUAL',
      'VLLM_API_KEY',
      'WAYLAND_DISPLAY',
      'WEBHOOK_ENABLED',
      'WEBHOOK_PORT',
      'WEBHOOK_SECRET',
      'WHATSAPP_ALLOWED_USERS',
      'WHATSAPP_ALLOW_ALL_USERS',
      'WHATSAPP_CLOUD_ACCESS_TOKEN',
      'WHATSAPP_CLOUD_API_VERSION',
      'WHATSAPP_CLOUD_APP_SECRET',
      'WHATSAPP_CLOUD_PHONE_NUMBER_ID',
      'WHATSAPP_CLOUD_VERIFY_TOKEN',
      'WHATSAPP_CLOUD_WEBHOOK_HOST',
      'WHATSAPP_CLOUD_WEBHOOK_PATH',
      'WHATSAPP_CLOUD_WEBHOOK_PORT',
      'WHATSAPP_HOME_CHANNEL',
      'WHATSAPP_REPLY_PREFIX',
      'XAI_API_KEY',
      'XAI_BASE_URL',
      'XAUTHORITY',
      'XDG_RUNTIME_DIR',
      'ZAI_API_KEY',
      'Z_AI_API_KEY',
    ],
  },
]

/** The version that this program writes. */
export const CONFIG_VERSION: number = migrations.at(-1)?.to ?? 0

/** What a new file begins with: one without a version would count as old. */
export const newFile = `config_version: ${CONFIG_VERSION}\n`

/** The version of a file's values: that of its key, 0 without one. */
function versionOf(values: Values): number {
  const version = values['config_version'] ?? 0
  if (typeof version === 'number' && Number.isInteger(version) && version >= 0) return version
  const message = `config_version is ${JSON.stringify(version)}, and must be a whole number. Fix it with: svc config edit`
  throw new SvcError('CONFIG_INVALID', message, { status: 400 })
}

/** Refuses the file of a newer program: the meaning of its keys is not known. Throws `CONFIG_TOO_NEW`. */
export function refuseNewer({ config_version: version }: Values, file: string): void {
  if (typeof version !== 'number' || version <= CONFIG_VERSION) return
  const message = `${file} has config_version ${version}; this svc knows ${CONFIG_VERSION}. Update svc to change it. Nothing was written.`
  throw new SvcError('CONFIG_TOO_NEW', message, { status: 409 })
}

/** The steps that a version still lacks. */
export function stepsAfter(version: number, steps: readonly Migration[] = migrations): Migration[] {
  return steps.filter(({ to }) => to > version)
}

/** The text with the steps taken and their version written. */
export async function migrated(text: string, steps: readonly Migration[], yaml: ConfigText): Promise<string> {
  let now = text
  for (const { to, changes } of steps) {
    const own = changes?.((await yaml.read(now)).values) ?? []
    now = await yaml.edit(now, [...own, { path: ['config_version'], value: to }])
  }
  return now
}

/** Takes the steps that the file lacks. */
export async function migrate(ctx: PluginContext<unknown>, writer: ConfigWriter): Promise<ConfigMigration> {
  const yaml = configText(ctx)
  let from = CONFIG_VERSION
  let backup: string | undefined
  const change = await writer.rewrite(async (text) => {
    const { values } = await yaml.read(text ?? '')
    refuseNewer(values, yaml.file)
    if (text !== undefined) from = versionOf(values)
    const steps = stepsAfter(from)
    if (text !== undefined && steps.length > 0) backup = await backUp(yaml.file, text, from)
    const after = text && (await migrated(text, steps, yaml))
    return { text: after, author: 'svc config migrate', reason: `migrate from version ${from}` }
  })
  const steps = stepsAfter(from)
  const introduced = steps.flatMap(({ env }) => env)
  const variables = declaredVariables(ctx.use(Plugins)).filter(
    ({ name }) => introduced.includes(name) && ctx.use(Secrets).get(name) === undefined,
  )
  return {
    from,
    to: CONFIG_VERSION,
    steps: steps.map(({ to, description }) => ({ to, description })),
    variables,
    ...(change ? { change } : {}),
    ...(backup === undefined ? {} : { backup }),
  }
}

/** A backup is never overwritten by another text. */
async function backUp(file: string, text: string, version: number): Promise<string> {
  for (let count = 1; ; count++) {
    const backup = `${file}.bak-v${version}${count === 1 ? '' : `-${count}`}`
    const { text: there } = await readText(backup)
    if (there === undefined) await writeText(backup, text, { mode: 0o600 })
    if (there === undefined || there === text) return backup
  }
}
