import type { ErrorMessages } from 'svc/sdk'

export default {
  PLUGIN_BUILT_IN: 'A built-in plugin cannot be removed. Switch it off instead: svc plugins disable NAME.',
  PLUGIN_DOWNLOAD: 'The archive could not be fetched from its address, or is not the one that was asked for.',
  PLUGIN_FOLDER: 'The folder cannot be used: it is missing, it is no plugin, or something is in the way there.',
  PLUGIN_INSTALL_DENIED: 'A plugin denied the installation. The message has its reason.',
  PLUGIN_GIT_FAILED:
    'The repository could not be read with git. Nothing was changed; the message ends with what git said.',
  PLUGIN_GIT_MISSING: 'The program git was not found. Install it, or install the plugin from its folder.',
  PLUGIN_INSTALL_BUSY: 'Another process is installing or removing a plugin in this home. Wait for it to end.',
  PLUGIN_MIGRATION: 'The plugin cannot be rewritten or restored here; the message has the reason. Nothing was changed.',
  PLUGIN_NAME_TAKEN: 'A plugin of this name is there already. Remove it first, or choose another name.',
  PLUGIN_NEEDED: 'svc plugins itself needs this plugin and could not switch it on again. Edit config.yaml by hand.',
  PLUGIN_NOT_REMOVABLE: 'The plugin was not installed by svc plugins, so its folder is not touched. Delete it by hand.',
  PLUGIN_NOT_USABLE: 'The plugin cannot run as it is; the message has the reason. Nothing was changed.',
  PLUGIN_NO_PREVIOUS: 'No earlier version of the plugin is kept in this home, so there is nothing to return to.',
  PLUGIN_NPM_FAILED: 'The package could not be had from npm. Nothing was changed; the message ends with what npm said.',
  PLUGIN_NPM_MISSING: 'The program npm was not found. Install it, or install the plugin from its folder.',
  PLUGIN_RECORD:
    'What svc recorded about the versions of the plugin cannot be used. Install it again, or update with --from.',
  PLUGIN_SOURCE_UNKNOWN: 'It is not known where the plugin came from, or that place cannot be read. Use --from.',
  PLUGIN_SPEC:
    'What to install is not understood: name a folder, a .tgz file, an https address, an npm package or git.',
  PLUGIN_SWITCHES:
    'A switch in config.yaml, plugins.enabled or plugins.disabled, is not a list of names. Mend it by hand.',
  PLUGIN_TAG_MOVED:
    'The git tag of the installed version names another commit now. Ask its author before you accept that.',
  PLUGIN_UNSAFE: 'The folder holds something that must not be installed, such as a link that leads out of it.',
  PLUGIN_UPDATE_FAILED:
    'The new version did not start in a running process. The old one is active, with its data and settings.',
  PLUGIN_VERIFY_FAILED:
    'The plugin does not keep the contracts of svc. Nothing was changed; svc plugins verify has all cases.',
} satisfies ErrorMessages
