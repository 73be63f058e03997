import type { ErrorMessages } from 'svc/sdk'

/** Codes of the plugin `yaml-edit`. */
const errors = {
  YAML_ALIAS: 'The path leads into a YAML alias (*name), which other places share. Change the anchor, or edit by hand.',
  YAML_PATH: 'The path leads through a value that holds no keys, or to an item that a list does not have.',
  YAML_UNREADABLE: 'A text is not YAML that can be edited. The message has the place and what to do there.',
  YAML_UNSAFE: 'The change could not be made without touching other lines of the text. Make it by hand.',
} satisfies ErrorMessages

export default errors
