// Which files a report may make us open. A report is untrusted: a path in it counts only when it
// leads, with links resolved, into a folder that the user has opened or mapped.
import { realpath } from "node:fs/promises";
import * as path from "node:path";

async function real(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch {
    return undefined;
  }
}

function inside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== "" && relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
}

/** Those of `files` that exist under one of `roots`; roots that do not exist hold nothing. */
export async function openable(files: Iterable<string>, roots: readonly string[]): Promise<Set<string>> {
  const folders = (await Promise.all(roots.map(real))).filter((root) => root !== undefined);
  const allowed = new Set<string>();
  for (const file of new Set(files)) {
    if (!path.isAbsolute(file)) continue;
    const target = await real(file);
    if (target !== undefined && folders.some((folder) => inside(target, folder))) allowed.add(file);
  }
  return allowed;
}
