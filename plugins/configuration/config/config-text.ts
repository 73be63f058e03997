/** config.yaml as text: read and edited by the service `yaml`, whose errors become those of the configuration. */
import { Config, errorCode, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import {
  type MergeResult,
  type ParsedYaml,
  parseConfigPath,
  type YamlChange,
  YamlEditor,
  type YamlError,
} from 'svc/sdk/host'
import type { Path } from './json-schema.ts'

const codes: Readonly<Record<string, string>> = {
  YAML_ALIAS: 'CONFIG_ALIAS',
  YAML_PATH: 'CONFIG_PATH',
  YAML_UNSAFE: 'CONFIG_EDIT_UNSAFE',
}

/** The service of now, for the file of this home. */
export function configText(ctx: PluginContext<unknown>): ConfigText {
  return new ConfigText(ctx.use(YamlEditor), ctx.use(Config).file)
}

/** Reads and edits texts of one file, which is not touched here. */
export class ConfigText {
  readonly file: string
  #yaml: YamlEditor

  constructor(yaml: YamlEditor, file: string) {
    this.#yaml = yaml
    this.file = file
  }

  parse(text: string): Promise<ParsedYaml | YamlError> {
    return this.#yaml.parse(text)
  }

  /** The same, or `CONFIG_UNREADABLE` with the place and what to do. */
  async read(text: string): Promise<ParsedYaml> {
    const parsed = await this.parse(text)
    if ('values' in parsed) return parsed
    const { line, column, message, hint } = parsed
    const what = `${this.file}, line ${line}, column ${column}: ${message.replace(/[.:]?$/, '.')}`
    throw new SvcError('CONFIG_UNREADABLE', `${what} What to do: ${hint}, with svc config edit. Nothing was written.`)
  }

  /** Throws `CONFIG_UNREADABLE`, `CONFIG_PATH`, `CONFIG_ALIAS` or `CONFIG_EDIT_UNSAFE`. */
  async edit(text: string, changes: readonly YamlChange[]): Promise<string> {
    try {
      return await this.#yaml.edit(text, changes)
    } catch (cause) {
      const code = codes[errorCode(cause)]
      if (code === undefined) throw cause
      throw new SvcError(code, `${errorMessage(cause)} Nothing was written.`, { status: 400, cause })
    }
  }

  merge(base: string, ours: string, theirs: string): Promise<MergeResult> {
    return this.#yaml.merge(base, ours, theirs)
  }
}

/** The keys of a dotted path. Throws `CONFIG_PATH`. */
export function parseKeys(text: string): Path {
  const path = parseConfigPath(text)
  if (path) return path
  const example = 'Write keys with dots between them: model.default, list.0, or "key.with.dots" in quotes.'
  throw new SvcError('CONFIG_PATH', `"${text}" is not a key. ${example}`, { status: 400 })
}
