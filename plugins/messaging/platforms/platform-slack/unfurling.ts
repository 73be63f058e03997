/**
 * Slack would fetch links for previews, which leaks their content (docs.slack.dev/messaging/
 * unfurling-links-in-messages). The reference of `chat.update` does not name the two; they do no harm there.
 */
export const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const
