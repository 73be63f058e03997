/** How Home Assistant shows notifications: Markdown (https://www.home-assistant.io/integrations/persistent_notification). */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** `{{`, `{%` and `{#` make a template, which Home Assistant stumbles over. An invisible mark parts them. */
const escapeTemplate = (text: string) => text.replace(/\{(?=[{%#])/g, '{\u2060')

const marked = withBareUrls({
  ...commonMarkMarkup,
  // The frontend reads it with "marked", which pairs nested marks of one sign in its own way and then shows some of them;
  // it lets these tags through (github.com/home-assistant/frontend, src/resources/markdown-worker.ts).
  italic: ['<em>', '</em>'],
  strike: ['<del>', '</del>'],
  // In words a backslash does the same, and is not copied along.
  escape: (text) => commonMarkMarkup.escape(text).replace(/[{}%]|(?<=\{)#/g, '\\$&'),
  escapeAddress: (address) => commonMarkMarkup.escapeAddress(address).replaceAll('{', '%7B').replaceAll('}', '%7D'),
})

export const markdown: Markup = {
  ...marked,
  escape: (text) => escapeTemplate(marked.escape(text)),
  escapeCode: (code) => escapeTemplate(commonMarkMarkup.escapeCode(code)),
}
