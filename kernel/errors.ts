/** Errors of the kernel, by their codes. */
import { infoCommand, LIST_COMMAND } from '../sdk/advice.ts'
import type { ErrorMessages } from '../sdk/errors.ts'

/** Codes that the kernel throws or reports. */
export const kernelErrors = {
  CONFIG_DENIED:
    'A plugin denied an edit of the configuration. The running process keeps its last values; the message has the reason.',
  CONTRIBUTION_INVALID:
    'A plugin contributes something that the point cannot use. The message says what is wrong with it.',
  CONTRIBUTION_TAKEN: 'Two plugins contribute an item of the same name. Disable one of the two that are named.',
  GUARD_MISSING:
    'A plugin that guards something does not run, so nothing passes. The message names the plugin or the config line.',
  HOOK_FAILED: 'A listener of a hook failed or took too long. After five failures in a minute it is suspended.',
  HOOK_INPUT: 'A listener around a hook passed something else on than it was given, which this hook does not allow.',
  HOOK_MATCHER: 'A listener names tools, but the hook is not about tools, or the list is empty or not a list of names.',
  HOOK_STOPPED: 'A required listener failed: a guard, or one that declares itself required. Its plugin is named.',
  HOOK_UNKNOWN:
    'A plugin listens to or calls something that is not a hook of this SDK, or declares a hook as of another kind than the plugin that calls it. Check its sdk range, or import the declaration.',
  HOOK_VALUE: 'A listener of a hook returned a value that is not what the hook takes. It counts as its failure.',
  PLUGIN_FAILED: `A plugin failed in its set-up, start or clean-up. Other plugins keep running; \`${infoCommand('NAME')}\` has the reason.`,
  PLUGIN_LEFT_OUT: 'A plugin cannot be loaded; the message has the reason.',
  PLUGIN_MANIFEST_LIES: 'A plugin registered something else than its plugin.json says. Make the two agree.',
  PLUGIN_RELOAD_FAILED: 'A new generation of a plugin did not start. The old one keeps serving.',
  PLUGIN_RESIDUE: 'A plugin was unloaded but left timers, sockets or processes behind. Release them with ctx.defer.',
  PLUGIN_TIMEOUT: 'A plugin took too long in one stage of its life and was given up.',
  PLUGIN_UNKNOWN: `No plugin has this name. \`${LIST_COMMAND}\` lists those there are.`,
  POINT_UNKNOWN: 'A plugin contributes to something that is not a contribution point. Check its sdk range.',
  REPLACEMENT_REFUSED:
    'A plugin wants to replace or wrap what protects svc: a closed service, the kernel, or something of a guard. It cannot.',
  SERVICE_CLOSED: 'A plugin of a user asked for a service that only svc itself may use.',
  SERVICE_NOT_NAMED:
    'A plugin uses a service that its plugin.json does not name. Add it to requires, wants or uses, and agree again.',
  SERVICE_TAKEN: 'Two plugins provide one service. Disable one of the two that are named.',
  SERVICE_UNAVAILABLE: `No running plugin provides a service that is required. \`${LIST_COMMAND}\` shows which plugins do not run, and why.`,
} satisfies ErrorMessages
