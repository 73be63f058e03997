/** Error codes of the browser tools. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BROWSER_BAD_URL: 'The address is not one a browser tool may open. Use a complete http or https address.',
  BROWSER_BLOCKED: 'The page led to an address that may not be asked, so it was not loaded.',
  BROWSER_LOAD: 'The page could not be loaded. The message holds the reason; check the address.',
  BROWSER_NO_TAB: 'The session has no page open. Begin with `browser_navigate`.',
  BROWSER_STALE_REF: 'The element is gone or was never there. Take a new `browser_snapshot` and use its refs.',
  BROWSER_HIDDEN: 'The element has no place on the page, so it cannot be clicked. Open what holds it first.',
  BROWSER_COVERED: 'Something lies over the element. Close or scroll away what covers it first.',
  BROWSER_DISABLED: 'The element is disabled. Do first what the page wants.',
  BROWSER_NOT_A_FIELD: 'The element does not take this text. Name a text field, a list or an editable area.',
  BROWSER_BAD_KEY: 'There is no such key. Use a character or a name such as Enter, Tab, Escape, ArrowDown, Control+a.',
  BROWSER_NO_BACK: 'The tab has no earlier page. Use `browser_navigate`.',
  BROWSER_EVALUATE: 'The expression failed, or running code in pages is off. See `browser.unsafe_evaluate`.',
  BROWSER_PAGE_FAULT: 'Something that runs in the page to look at an element failed. The message holds what it said.',
} satisfies ErrorMessages
