// Finds the lacuna program. It does not import VS Code, so that it can be tested.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Environment holds everything a search for the program depends on. */
export interface Environment {
  /** The setting lacuna.path, which only the user can set. */
  setting: string;
  /** The folder of the extension, which may have a program inside. */
  extension: string;
  home: string;
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
  /** Reports whether a path is an executable file. */
  isExecutable(file: string): boolean;
}

/** SearchResult holds the program, or every path that was tried. */
export type SearchResult = { file: string } | { file?: undefined; tried: string[] };

/**
 * find returns the program that the setting names; if it is empty, the first one in the extension, on PATH, or where Go
 * installs programs. It skips relative entries of PATH, because they would lead into the open folder.
 */
export function find(s: Environment): SearchResult {
  const tried = s.setting.trim() === '' ? usualPlaces(s) : configuredPlaces(s, s.setting.trim());
  const file = tried.find(candidate => s.isExecutable(candidate));
  return file === undefined ? { tried } : { file };
}

function usualPlaces(s: Environment): string[] {
  const { env, home } = s;
  const go = env['GOBIN'] ? [env['GOBIN']]
    : (env['GOPATH'] ?? path.join(home, 'go')).split(path.delimiter).map(folder => path.join(folder, 'bin'));
  return [path.join(s.extension, 'bin'), ...onPath(s), ...go].filter(path.isAbsolute).map(folder => path.join(folder, executable(s, 'lacuna')));
}

function configuredPlaces(s: Environment, setting: string): string[] {
  const file = setting.replace(/^~(?=$|[/\\])/, () => s.home);
  if (path.basename(file) === file) return onPath(s).filter(path.isAbsolute).map(folder => path.join(folder, executable(s, file)));
  return path.isAbsolute(file) ? [file, executable(s, file)] : [];
}

function onPath(s: Environment): string[] {
  return (s.env['PATH'] ?? s.env['Path'] ?? '').split(path.delimiter);
}

function executable(s: Environment, name: string): string {
  return s.platform === 'win32' && path.extname(name) === '' ? `${name}.exe` : name;
}

/** isExecutable reports whether a path is an executable file. */
export function isExecutable(file: string): boolean {
  try {
    if (!fs.statSync(file).isFile()) return false;
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** isIncompatible reports whether the first two numbers of two versions differ. */
export function isIncompatible(extension: string, program: string): boolean {
  const line = (version: string): string => version.replace(/^v/, '').split('.').slice(0, 2).join('.');
  return line(extension) !== line(program);
}
