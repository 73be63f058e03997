import type { ErrorMessages } from 'svc/sdk'

/** Codes of the plugin `config-cli`. It also throws the kernel's CONFIG_UNREADABLE. */
const errors = {
  CONFIG_CHANGE_UNKNOWN: 'There is no change of this number. `svc config undo --list` shows those there are.',
  CONFIG_KEY_UNKNOWN: 'No plugin reads this setting, and its name is close to one that exists. Nothing was changed.',
  CONFIG_SECRET: 'A secret is not typed into a conversation, which is stored. Use `svc config set NAME`.',
  CONFIG_EDITOR: 'The editor could not be run or ended with an error. Nothing was changed; set $VISUAL or $EDITOR.',
} satisfies ErrorMessages

export default errors
