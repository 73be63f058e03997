import type { ErrorMessages } from 'svc/sdk'

export default {
  PLUGIN_BUILT_IN: 'A built-in plugin cannot be removed. Switch it off instead: svc plugins disable NAME.',
  PLUGIN_FOLDER: 'The folder cannot be used: it is missing, it is no plugin, or something is in the way there.',
  PLUGIN_INSTALL_BUSY: 'Another process is installing or removing a plugin in this home. Wait for it to end.',
  PLUGIN_NAME_TAKEN: 'A plugin of this name is there already. Remove it first, or choose another name.',
  PLUGIN_NEEDED: 'svc plugins itself needs this plugin and could not switch it on again. Edit config.yaml by hand.',
  PLUGIN_NOT_REMOVABLE: 'The plugin was not installed by svc plugins, so its folder is not touched. Delete it by hand.',
  PLUGIN_NOT_USABLE: 'The plugin cannot run as it is; the message has the reason. Nothing was changed.',
  PLUGIN_NPM_FAILED: 'The package could not be had from npm. Nothing was changed; the message ends with what npm said.',
  PLUGIN_NPM_MISSING: 'The program npm was not found. Install it, or install the plugin from its folder.',
  PLUGIN_SPEC: 'What to install is not understood: name a folder, a .tgz file or an npm package.',
  PLUGIN_SWITCHES:
    'A switch in config.yaml, plugins.enabled or plugins.disabled, is not a list of names. Mend it by hand.',
  PLUGIN_UNSAFE: 'The folder holds something that must not be installed, such as a link that leads out of it.',
  PLUGIN_VERIFY_FAILED:
    'The plugin does not keep the contracts of svc. Nothing was changed; svc plugins verify has all cases.',
} satisfies ErrorMessages
