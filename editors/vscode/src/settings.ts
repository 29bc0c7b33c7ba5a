// Which settings go to the server, and in which way. What the user set as his own, in a scope that a folder
// cannot widen, goes in the environment of the process; everything else goes as any editor's settings do, and
// the server lets it narrow only. What nobody set is not sent, so that .lacuna.toml can say it.

/** Inspected is what VS Code knows of one setting, as WorkspaceConfiguration.inspect returns it. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Declared are the settings of a manifest: full key to scope. */
export type Declared = Map<string, string>;

/** Keys of the extension itself, which the server is not told. */
const own = new Set(['lacuna.path', 'lacuna.trace.server']);

/** A setting of the extension that the server calls by another name. */
const renamed: Record<string, string> = { 'lacuna.ownSources': 'sources' };

/** declared reads the settings of a manifest. */
export function declared(manifest: unknown): Declared {
  const sections = (manifest as { contributes: { configuration: { properties: Record<string, { scope?: string }> }[] } })
    .contributes.configuration;
  const keys: Declared = new Map();
  for (const { properties } of sections) {
    for (const [key, { scope }] of Object.entries(properties)) if (!own.has(key)) keys.set(key, scope ?? 'window');
  }
  return keys;
}

/** belongsToUser reports whether a value of the user's goes to the server as that. */
function belongsToUser(scope: string): boolean {
  return scope === 'machine' || scope === 'machine-overridable';
}

/** handedOver are the user's own values of the keys that can widen, ready for LACUNA_SETTINGS. */
export function handedOver(keys: Declared, inspect: (key: string) => Inspected | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, scope] of keys) {
    const value = belongsToUser(scope) ? inspect(key)?.globalValue : undefined;
    if (value !== undefined && value !== null) values[renamed[key] ?? short(key)] = value;
  }
  return values;
}

/** told are the values for the server's question about a folder: what is set there and, of harmless keys, by the user. */
export function told(keys: Declared, inspect: (key: string) => Inspected | undefined): Record<string, unknown> {
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
