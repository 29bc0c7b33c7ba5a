// Stores models' keys in VS Code's secret storage. A key is stored with its address, and only a server that is set to
// that address gets it. It never appears in a setting, a command line or a log.
import * as vscode from 'vscode';

/** The endpoints that can have a key, and the environment variable that passes it to the server. */
const roles = {
  model: { label: 'The model', variable: 'LACUNA_MODEL_API_KEY' },
  embedding: { label: 'The encoder', variable: 'LACUNA_EMBEDDING_API_KEY' },
  rerank: { label: 'The reranker', variable: 'LACUNA_RERANK_API_KEY' },
  entailment: { label: 'The cross-encoder', variable: 'LACUNA_ENTAILMENT_API_KEY' },
} as const;
type Role = keyof typeof roles;
const allRoles = Object.keys(roles) as Role[];

interface Stored {
  key: string;
  /** Scheme, host and port; empty for the address in the user's own settings file. */
  host: string;
}

/** Keys stores and forgets the keys of models, and passes them to the program. */
export class Keys {
  constructor(private readonly storage: vscode.SecretStorage, private readonly log: vscode.LogOutputChannel) {}

  /** onDidChange fires when this or another window stores or forgets a key. */
  get onDidChange(): vscode.Event<unknown> {
    return this.storage.onDidChange;
  }

  /** environment returns the variables for the process. It leaves out keys of other addresses. */
  async environment(): Promise<Record<string, string>> {
    const variables: Record<string, string> = {};
    for (const role of allRoles) {
      const stored = await this.read(role);
      if (stored === undefined) continue;
      if (stored.host === hostOf(addressOf(role))) variables[roles[role].variable] = stored.key;
      else this.log.warn(`The stored key of ${role} is for ${addressLabel(stored.host)}, and the setting now says ${addressLabel(hostOf(addressOf(role)))}: it was not handed over. Use "Lacuna: Set Model Key" again.`);
    }
    return variables;
  }

  /** set asks for a key and stores it. */
  async set(): Promise<void> {
    const role = await this.choose('Whose key?');
    if (role === undefined) return;
    const host = hostOf(addressOf(role));
    const key = await vscode.window.showInputBox({
      title: `Key for ${addressLabel(host)}`,
      prompt: 'It is kept in VS Code\'s secret storage, handed only to the Lacuna process on this machine, and sent only to that address.',
      password: true,
      ignoreFocusOut: true,
      validateInput: text => problemOf(text.trim()),
    });
    if (key === undefined) return;
    const stored: Stored = { key: key.trim(), host };
    await this.storage.store(nameOf(role), JSON.stringify(stored));
    void vscode.window.showInformationMessage(`Lacuna: the key for ${addressLabel(host)} is stored. "Lacuna: Forget Model Key" removes it.`);
  }

  /** forget removes a stored key. */
  async forget(): Promise<void> {
    const stored: Role[] = [];
    for (const role of allRoles) if (await this.read(role)) stored.push(role);
    if (stored.length === 0) {
      void vscode.window.showInformationMessage('Lacuna: no key is stored.');
      return;
    }
    const role = await this.choose('Which key should be forgotten?', stored);
    if (role !== undefined) await this.storage.delete(nameOf(role));
  }

  private async choose(title: string, among: Role[] = allRoles): Promise<Role | undefined> {
    const items = await Promise.all(among.map(async role => {
      const stored = await this.read(role);
      return {
        role,
        label: roles[role].label,
        description: addressLabel(hostOf(addressOf(role))),
        ...(stored && { detail: `A key for ${addressLabel(stored.host)} is stored.` }),
      };
    }));
    return (await vscode.window.showQuickPick(items, { title }))?.role;
  }

  private async read(role: Role): Promise<Stored | undefined> {
    const text = await this.storage.get(nameOf(role));
    if (text === undefined) return undefined;
    try {
      const { key, host } = JSON.parse(text) as Partial<Stored>;
      return typeof key === 'string' && typeof host === 'string' ? { key, host } : undefined;
    } catch {
      return undefined;
    }
  }
}

function nameOf(role: Role): string {
  return `lacuna.key.${role}`;
}

function addressOf(role: Role): string {
  return vscode.workspace.getConfiguration('lacuna').inspect<string>(`${role}.baseUrl`)?.globalValue ?? '';
}

/** hostOf returns the origin that a key is bound to; empty if no address is set here. */
function hostOf(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    return '';
  }
}

function addressLabel(host: string): string {
  return host === '' ? 'the address in your own settings file' : host;
}

function problemOf(key: string): string | undefined {
  if (key === '') return 'Type or paste the key.';
  return /[\s\p{Cc}]/u.test(key) ? 'A key has no spaces or line ends.' : undefined;
}
