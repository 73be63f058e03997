/** How Home Assistant shows notifications: Markdown (https://www.home-assistant.io/integrations/persistent_notification). */
import { commonMark, type Markup, withBareAddresses } from 'svc/sdk'

/** `{{`, `{%` and `{#` make a template, which Home Assistant stumbles over. An invisible mark parts them. */
const untemplated = (text: string) => text.replace(/\{(?=[{%#])/g, '{\u2060')

const marked = withBareAddresses({
  ...commonMark,
  // The frontend reads it with "marked", which pairs nested marks of one sign in its own way and then shows some of them;
  // it lets these tags through (github.com/home-assistant/frontend, src/resources/markdown-worker.ts).
  italic: ['<em>', '</em>'],
  strike: ['<del>', '</del>'],
  // In words a backslash does the same, and is not copied along.
  escape: (text) => commonMark.escape(text).replace(/[{}%]|(?<=\{)#/g, '\\$&'),
  escapeAddress: (address) => commonMark.escapeAddress(address).replaceAll('{', '%7B').replaceAll('}', '%7D'),
})

export const markdown: Markup = {
  ...marked,
  escape: (text) => untemplated(marked.escape(text)),
  escapeCode: (code) => untemplated(commonMark.escapeCode(code)),
}
