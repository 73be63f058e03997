/** Errors of the kernel, by their codes. */
import type { ErrorMessages } from '../sdk/errors.ts'

/** Codes that the kernel throws or reports. */
export const kernelErrors = {
  CLI_IN_AGENT:
    'A program that the agent started wants svc to do something that only a person may. Run it in your own terminal.',
  CLI_CONFIRM: 'The step needs a confirmation and there is no terminal to ask on. Check what it does, then add --yes.',
  CLI_USAGE: 'A command was typed in a way it does not know. The message names the nearest; add --help for the rest.',
  CONFIG_INVALID: 'A value in config.yaml is not what its plugin expects. The message has path, value and a hint.',
  CONFIG_CHANGED_OUTSIDE:
    'Something else than svc changed config.yaml, .env or another file that decides what it does. Look at what changed.',
  CONFIG_UNREADABLE:
    'config.yaml could not be parsed. The last good values stay in force; nothing overwrites the file.',
  CONTRIBUTION_INVALID:
    'A plugin contributes something that the point cannot use. The message says what is wrong with it.',
  CONSENT_CHANGED: 'The code of a plugin changed between being shown and being agreed to. Look at it again.',
  CONSENT_CONTENT:
    'A plugin folder cannot be covered by a consent: too large, or a link leads out of it. The message says which.',
  CONSENT_UNREADABLE:
    'The record of what you agreed to is damaged, so no foreign plugin runs. The message has the file.',
  CONTRIBUTION_TAKEN: 'Two plugins contribute an item of the same name. Disable one of the two that are named.',
  CONFIG_DENIED:
    'A plugin denied an edit of config.yaml. The running process keeps its last values; the message has the reason.',
  CONVERSATION_CHANGE_DENIED:
    'A plugin denied another session, a branch, an undo or an end. The message has its reason; `svc plugins list` names the plugins.',
  MODEL_CHANGE_DENIED:
    'A plugin denied another model. The message has its reason; `svc plugins list` names the plugins.',
  EVENT_TOO_LARGE: 'A server sent one event of more than 16 MiB. Check that it is a model server.',
  GUARD_MISSING:
    'A plugin that guards something does not run, so nothing passes. The message names the plugin or the config line.',
  HOME_UNUSABLE: 'SVC_HOME cannot be created, read or written. Fix its rights or set SVC_HOME to another folder.',
  HOOK_FAILED: 'A listener of a hook failed or took too long. After five failures in a minute it is suspended.',
  HOOK_INPUT: 'A listener around a hook passed something else on than it was given, which this hook does not allow.',
  HOOK_MATCHER: 'A listener names tools, but the hook is not about tools, or the list is empty or not a list of names.',
  HOOK_STOPPED: 'A required listener failed: a guard, or one that declares itself required. Its plugin is named.',
  HOOK_UNKNOWN:
    'A plugin listens to or calls something that is not a hook of this SDK, or declares a hook as of another kind than the plugin that calls it. Check its sdk range, or import the declaration.',
  HOOK_VALUE: 'A listener of a hook returned a value that is not what the hook takes. It counts as its failure.',
  INPUT_TOO_LARGE: 'Standard input is larger than the command takes. Write it to a file and name the file.',
  INTERNAL: 'Something went wrong that has no code of its own. `svc plugins` and the log say where.',
  NET_CLOSED:
    'The other side closed the connection before its answer was complete; it may have done what it was asked. Try again.',
  NET_FORBIDDEN: 'The request is not allowed to this address: its caller permits other addresses only.',
  NET_JSON:
    'The other side answered with something that is not JSON, or not the JSON that was expected. The message quotes it.',
  NET_STALLED: 'The other side stopped sending in the middle of its answer.',
  NET_TIMEOUT: 'The other side did not answer in time.',
  JOB_FAILED: 'A job of a plugin failed. It runs again after a longer wait; `svc plugins info NAME` has the reason.',
  JOB_INVALID:
    'A plugin repeats a job at an interval that is not a number of milliseconds, or gives two jobs one name.',
  MODEL_KEY_REFUSED: 'A model service refuses the key. Check the key, or create a new one at the service.',
  NET_TOO_LARGE: 'The answer of the other side is larger than expected.',
  PLATFORM_FILE_LARGE:
    'A file in a chat is larger than max_attachment_bytes of the platform allows. Raise it, or send a smaller file.',
  NET_UNREACHABLE: 'No connection could be made. Check that the address is right and the server runs.',
  PLUGIN_BUNDLE_CHANGED:
    'The built code of a plugin, below cache/plugins, was changed by another program. It was built again; find out by which.',
  PLUGIN_FAILED:
    'A plugin failed in its set-up, start or clean-up. Other plugins keep running; `svc plugins info NAME` has the reason.',
  PLUGIN_LEFT_OUT: 'A plugin cannot be loaded; the message has the reason.',
  PLUGIN_MANIFEST: 'A plugin.json is missing, unreadable or not valid. The message has the file and the field.',
  PLUGIN_MANIFEST_LIES: 'A plugin registered something else than its plugin.json says. Make the two agree.',
  PLUGIN_RELOAD_FAILED: 'A new generation of a plugin did not start. The old one keeps serving.',
  PLUGIN_RESIDUE: 'A plugin was unloaded but left timers, sockets or processes behind. Release them with ctx.defer.',
  PLUGIN_TIMEOUT: 'A plugin took too long in one stage of its life and was given up.',
  PLUGIN_UNKNOWN: 'No plugin has this name. `svc plugins` lists those there are.',
  POINT_UNKNOWN: 'A plugin contributes to something that is not a contribution point. Check its sdk range.',
  PROFILE_UNKNOWN: 'No profile has this name, or the name is not allowed.',
  REPLACEMENT_REFUSED:
    'A plugin wants to replace or wrap what protects svc: a closed service, the kernel, or something of a guard. It cannot.',
  SERVICE_CLOSED: 'A plugin of a user asked for a service that only svc itself may use.',
  SERVICE_NOT_NAMED:
    'A plugin uses a service that its plugin.json does not name. Add it to requires, wants or uses, and agree again.',
  SERVICE_TAKEN: 'Two plugins provide one service. Disable one of the two that are named.',
  SERVICE_UNAVAILABLE: 'Nothing provides a service that is needed now. `svc plugins` shows what is left out and why.',
  SETTINGS_MIGRATION:
    'Settings of a plugin could not be brought to the form of its present version. The file is as it was; the message has the reason.',
  SETTINGS_TOO_NEW:
    'Settings were written by a later version of a plugin. Nothing was changed; install that version again.',
  STATE_BUSY:
    'State of a plugin is being changed by another process for too long. Try again; `svc doctor` helps if it stays.',
  STATE_INVALID:
    'State of a plugin does not fit its schema or could not be migrated. The message has the reason; the stored content is kept.',
  STATE_TOO_LARGE:
    'State of a plugin is larger than 16 MiB. Nothing was changed; the plugin has to use a database for it.',
  STATE_TOO_NEW: 'State was written by a later version of a plugin. Nothing was changed; install that version again.',
} satisfies ErrorMessages
