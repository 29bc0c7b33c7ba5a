// Where the lacuna program is. Nothing here knows VS Code, so that it can be tested.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Surroundings are what a search for the program depends on. */
export interface Surroundings {
  /** The setting lacuna.path, which only the user can set. */
  setting: string;
  /** The folder of the extension, which may have a program inside. */
  extension: string;
  home: string;
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
  /** Whether a path is a file that can be run. */
  runs(file: string): boolean;
}

/** Found is the program, or every place that was looked at. */
export type Found = { file: string } | { file?: undefined; looked: string[] };

/**
 * find returns the first program there is: the one that is set, and if one is set no other; the one in the
 * extension; the one on PATH; the one where Go installs programs. Relative entries of PATH are passed over,
 * because they would lead into the folder that is open.
 */
export function find(s: Surroundings): Found {
  const looked = s.setting.trim() === '' ? usualPlaces(s) : named(s, s.setting.trim());
  const file = looked.find(candidate => s.runs(candidate));
  return file === undefined ? { looked } : { file };
}

function usualPlaces(s: Surroundings): string[] {
  const { env, home } = s;
  const go = env['GOBIN'] ? [env['GOBIN']]
    : (env['GOPATH'] ?? path.join(home, 'go')).split(path.delimiter).map(folder => path.join(folder, 'bin'));
  return [path.join(s.extension, 'bin'), ...onPath(s), ...go].filter(path.isAbsolute).map(folder => path.join(folder, executable(s, 'lacuna')));
}

function named(s: Surroundings, setting: string): string[] {
  const file = setting.replace(/^~(?=$|[/\\])/, () => s.home);
  if (path.basename(file) === file) return onPath(s).filter(path.isAbsolute).map(folder => path.join(folder, executable(s, file)));
  return path.isAbsolute(file) ? [file, executable(s, file)] : [];
}

function onPath(s: Surroundings): string[] {
  return (s.env['PATH'] ?? s.env['Path'] ?? '').split(path.delimiter);
}

function executable(s: Surroundings, name: string): string {
  return s.platform === 'win32' && path.extname(name) === '' ? `${name}.exe` : name;
}

/** runs reports whether a path is a file that can be run. */
export function runs(file: string): boolean {
  try {
    if (!fs.statSync(file).isFile()) return false;
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** differs reports whether two versions are too far apart to go together: their first two numbers differ. */
export function differs(extension: string, program: string): boolean {
  const line = (version: string): string => version.replace(/^v/, '').split('.').slice(0, 2).join('.');
  return line(extension) !== line(program);
}
