/** Wires screens, keys, the panel of the plan, and items of the status bar into the full-screen interface. */
import { definePlugin, type PluginContext, SlashCommands } from 'svc/sdk'
import { type KeyBinding, KeyBindings, type Overlay, Overlays, StatusItems, Widgets } from 'svc/sdk/terminal'
import { agentsScreen } from './agents-screen.ts'
import { gotoCommand } from './goto-command.ts'
import { helpScreen } from './help-screen.ts'
import { PlanPanel } from './plan-panel.ts'
import { processesScreen } from './processes-screen.ts'
import { queueScreen } from './queue-screen.ts'
import { sessionScreen } from './session-screen.ts'
import { sessionsScreen } from './sessions-screen.ts'
import { branchItem, processesItem } from './status.ts'
import { toolsScreen } from './tools-screen.ts'
import { treeScreen } from './tree-screen.ts'
import { usageScreen } from './usage-screen.ts'

export default definePlugin({
  setup(ctx) {
    for (const screen of createScreens(ctx)) ctx.add(Overlays, screen)
    for (const key of keys) ctx.add(KeyBindings, key)
    ctx.add(SlashCommands, gotoCommand(ctx))
    ctx.add(Widgets, new PlanPanel(ctx))
    ctx.add(StatusItems, branchItem(ctx))
    ctx.add(StatusItems, processesItem(ctx))
  },
})

function createScreens(ctx: PluginContext<undefined>): readonly Overlay[] {
  return [
    { name: 'sessions', title: 'Sessions', open: (ui) => sessionsScreen(ctx, ui) },
    { name: 'tree', title: 'Branches of this conversation', command: 'tree', open: (ui) => treeScreen(ctx, ui) },
    { name: 'help', title: 'Commands, keys and screens', command: 'help', open: (ui) => helpScreen(ctx, ui) },
    { name: 'agents', title: 'Subagents', open: (ui) => agentsScreen(ctx, ui) },
    { name: 'processes', title: 'Background processes', open: (ui) => processesScreen(ctx, ui) },
    { name: 'queue', title: 'Queued messages', open: (ui) => queueScreen(ctx, ui) },
    { name: 'usage', title: 'Tokens and cost', open: (ui) => usageScreen(ctx, ui) },
    { name: 'tools', title: 'Toolsets and tools', open: (ui) => toolsScreen(ctx, ui) },
    { name: 'session', title: 'This session', open: (ui) => sessionScreen(ctx, ui) },
  ]
}

const keys: readonly KeyBinding[] = [
  { key: 'C-x', description: 'Show sessions', screen: 'sessions', run: (ui) => ui.show('sessions') },
  { key: 'C-b', description: 'Show background processes', screen: 'processes', run: (ui) => ui.show('processes') },
  { key: 'f2', description: 'Show subagents', screen: 'agents', run: (ui) => ui.show('agents') },
]
