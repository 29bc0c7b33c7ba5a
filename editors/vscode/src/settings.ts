// Decides which settings go to the server, and how. The user's own values, in a scope that a folder cannot widen, go in
// the process's environment; all others go as any editor's settings do, and the server lets them only narrow. A setting
// without a value is not sent, so that .lacuna.toml can set it.

/** Inspection holds one setting's values, as WorkspaceConfiguration.inspect returns them. */
export interface Inspection {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Scopes maps the full key of each setting of a manifest to its scope. */
export type Scopes = Map<string, string>;

/** The extension's own keys, which are not sent to the server. */
const extensionOnly = new Set(['lacuna.path', 'lacuna.questionState', 'lacuna.trace.server']);

/** A setting of the extension that has another name in the server. */
const serverNames: Record<string, string> = { 'lacuna.ownSources': 'sources' };

/** settingScopes returns the scopes of a manifest's settings. */
export function settingScopes(manifest: unknown): Scopes {
  const sections = (manifest as { contributes: { configuration: { properties: Record<string, { scope?: string }> }[] } })
    .contributes.configuration;
  const keys: Scopes = new Map();
  for (const { properties } of sections) {
    for (const [key, { scope }] of Object.entries(properties)) if (!extensionOnly.has(key)) keys.set(key, scope ?? 'window');
  }
  return keys;
}

/** belongsToUser reports whether a value in this scope goes to the server as the user's own. */
function belongsToUser(scope: string): boolean {
  return scope === 'machine' || scope === 'machine-overridable';
}

/** userSettings returns the user's own values of the keys that can widen, for LACUNA_SETTINGS. */
export function userSettings(keys: Scopes, inspect: (key: string) => Inspection | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, scope] of keys) {
    const value = belongsToUser(scope) ? inspect(key)?.globalValue : undefined;
    if (value !== undefined && value !== null) values[serverNames[key] ?? short(key)] = value;
  }
  return values;
}

/** folderSettings answers the server's question about a folder: the folder's values and, for harmless keys, the user's. */
export function folderSettings(keys: Scopes, inspect: (key: string) => Inspection | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, scope] of keys) {
    const found = scope === 'machine' ? undefined : inspect(key);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? (belongsToUser(scope) ? undefined : found?.globalValue);
    if (value !== undefined && value !== null) values[short(key)] = value;
  }
  return values;
}

function short(key: string): string {
  return key.replace(/^lacuna\./, '');
}
