/**
 * Slash commands of the app (docs.slack.dev/interactivity/implementing-slash-commands): one for each command of svc, and one that
 * stands before any of them, `/svc model fast`.
 */

/** Stands before a command of svc. */
export const GENERIC = 'svc'
/** Begins the name of a command whose own name an app cannot have in Slack. */
const PREFIX = 'svc-'

/** Slack's own commands, which come before those of apps (slack.com/help/articles/201259356). */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...[
    'active',
    'apps',
    'archive',
    'away',
    'call',
    'canvas',
    'collapse',
    'dm',
    'dnd',
    'expand',
    'feed',
    'feedback',
    'help',
  ],
  ...[
    'huddle',
    'invite',
    'join',
    'kick',
    'leave',
    'list',
    'me',
    'msg',
    'mute',
    'open',
    'part',
    'prefs',
    'rename',
    'remind',
  ],
  ...['remove', 'search', 'shortcuts', 'shrug', 'star', 'status', 'topic', 'unarchive', 'unmute', 'who'],
])

/** The name of a command in Slack. */
export function toSlackName(name: string): string {
  return BUILT_IN.has(name) ? `${PREFIX}${name}` : name
}

/**
 * What a command of Slack says to svc, with the prefix of commands in messages. `isCommand` says whether svc has a command of exactly
 * this name; every other name of the app stands before a command, as `/svc` does.
 */
export function readLine(slackName: string, text: string, isCommand: (name: string) => boolean): string {
  const typed = slackName.replace(/^\//, '').toLowerCase()
  const name = typed.startsWith(PREFIX) ? typed.slice(PREFIX.length) : typed
  const words = text.trim()
  if (isCommand(name)) return `!${name} ${words}`.trim()
  return `!${words.replace(/^[!/]/, '') || 'help'}`
}
