// Which Python to start the server with. Nothing of VS Code in here: see python.ts for that.
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as path from "node:path";

export const minimumPython: readonly [number, number] = [3, 10];

export interface Candidate {
  readonly command: string;
  readonly origin: "setting" | "python extension" | "PATH";
}

/** What an interpreter said about itself. */
export type Probe =
  | { readonly kind: "ready"; readonly executable: string; readonly version: string }
  | { readonly kind: "not installed"; readonly executable: string; readonly absent: readonly string[] }
  | { readonly kind: "too old"; readonly executable: string; readonly python: string }
  | { readonly kind: "broken"; readonly reason: string };

export interface Found {
  readonly candidate: Candidate;
  readonly probe: Probe;
}

// Nothing is imported: that gpuadvisor and what the server is made of are there is enough.
const script = `
import importlib.util, json, sys
absent = [name for name in ("gpuadvisor", "pygls", "lsprotocol") if not importlib.util.find_spec(name)]
version = "unknown"
try:
    from importlib.metadata import version as version_of
    version = version_of("gpuadvisor")
except Exception:
    pass
print(json.dumps({"python": sys.version_info[:2], "executable": sys.executable, "version": version, "absent": absent}))
`;

/** Replaces a leading `~` and `${workspaceFolder}`; a relative path counts from the folder. */
export function expandPath(value: string, workspaceFolder: string | undefined): string {
  let text = value.trim();
  if (text === "~" || text.startsWith("~/") || text.startsWith("~\\")) {
    text = homedir() + text.slice(1);
  }
  if (workspaceFolder !== undefined) {
    text = text.replaceAll("${workspaceFolder}", workspaceFolder);
    const isPath = text.includes("/") || text.includes("\\");
    if (isPath && !path.isAbsolute(text)) return path.join(workspaceFolder, text);
  }
  return text;
}

/** In order of precedence. A setting stands alone: whoever names an interpreter means that one. */
export function candidates(
  setting: string,
  fromExtension: string | undefined,
  workspaceFolder: string | undefined,
  platform: NodeJS.Platform = process.platform,
): Candidate[] {
  if (setting.trim() !== "") {
    return [{ command: expandPath(setting, workspaceFolder), origin: "setting" }];
  }
  const found: Candidate[] = [];
  if (fromExtension !== undefined && fromExtension !== "") {
    found.push({ command: fromExtension, origin: "python extension" });
  }
  for (const command of platform === "win32" ? ["python", "py"] : ["python3", "python"]) {
    found.push({ command, origin: "PATH" });
  }
  return found;
}

export function readProbe(stdout: string): Probe {
  let answer: { python: [number, number]; executable: string; version: string; absent: string[] };
  try {
    answer = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as typeof answer;
  } catch {
    return { kind: "broken", reason: "it did not answer like Python" };
  }
  const [major, minor] = answer.python;
  if (major < minimumPython[0] || (major === minimumPython[0] && minor < minimumPython[1])) {
    return { kind: "too old", executable: answer.executable, python: `${major}.${minor}` };
  }
  const { absent, executable } = answer;
  if (absent.length > 0) return { kind: "not installed", executable, absent };
  return { kind: "ready", executable, version: answer.version };
}

/** Asks an interpreter. `cwd` must not be the workspace: Python imports from where it starts. */
export function probe(command: string, cwd: string): Promise<Probe> {
  return new Promise((resolve) => {
    execFile(command, ["-c", script], { cwd, timeout: 15_000, windowsHide: true }, (error, stdout) => {
      if (error === null) {
        resolve(readProbe(stdout));
      } else {
        const code = (error as NodeJS.ErrnoException).code;
        resolve({ kind: "broken", reason: code === "ENOENT" ? "no such program" : error.message });
      }
    });
  });
}

/** The first candidate that has gpuadvisor, and all that were asked on the way. */
export async function choose(
  list: readonly Candidate[],
  ask: (command: string) => Promise<Probe>,
): Promise<{ chosen: Found | undefined; asked: Found[] }> {
  const asked: Found[] = [];
  for (const candidate of list) {
    const found = { candidate, probe: await ask(candidate.command) };
    asked.push(found);
    if (found.probe.kind === "ready") return { chosen: found, asked };
  }
  return { chosen: undefined, asked };
}

export interface Missing {
  readonly message: string;
  /** The command that installs gpuadvisor; absent when there is no usable interpreter. */
  readonly install: string | undefined;
}

/** Says plainly why there is no server, from what the interpreters answered. */
export function explainMissing(asked: readonly Found[], platform = process.platform): Missing {
  const without = asked.find((found) => found.probe.kind === "not installed");
  if (without !== undefined && without.probe.kind === "not installed") {
    const { executable, absent } = without.probe;
    const lack = absent.includes("gpuadvisor")
      ? `gpuadvisor is not installed for ${executable}`
      : `The gpuadvisor of ${executable} lacks ${absent.join(" and ")}`;
    return {
      message: `${lack}, so reports cannot be read.`,
      install: `${quoted(executable, platform)} -m pip install gpuadvisor`,
    };
  }
  const old = asked.find((found) => found.probe.kind === "too old");
  if (old !== undefined && old.probe.kind === "too old") {
    const { executable, python } = old.probe;
    return {
      message: `gpuadvisor needs Python ${minimumPython.join(".")} or later; ${executable} is ${python}.`,
      install: undefined,
    };
  }
  const named = asked.find((found) => found.candidate.origin === "setting");
  if (named !== undefined && named.probe.kind === "broken") {
    return {
      message: `The interpreter of gpuadvisor.interpreter, ${named.candidate.command}, does not run: ${named.probe.reason}.`,
      install: undefined,
    };
  }
  return {
    message: `gpuadvisor needs Python ${minimumPython.join(".")} or later, and none was found.`,
    install: undefined,
  };
}

function quoted(executable: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(executable)) return executable;
  if (platform === "win32") return `& "${executable}"`;
  return `'${executable.replaceAll("'", "'\\''")}'`;
}
