#!/usr/bin/env bash
# Installs what the tests in VS Code need beside node 20 and npm: a browser and fonts by apt, the
# extension's packages and code-server by npm. Safe to run again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

command -v node >/dev/null && command -v npm >/dev/null || {
  echo "node 20 and npm are needed" >&2
  exit 1
}

packages=()
command -v chromium >/dev/null || packages+=(chromium fonts-dejavu fonts-liberation)
command -v rg >/dev/null || packages+=(ripgrep)
command -v make >/dev/null || packages+=(make)
command -v g++ >/dev/null || packages+=(g++)
command -v python3 >/dev/null || packages+=(python3)
if ((${#packages[@]})); then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

npm ci --prefix "$root/vscode-extension" --no-audit --no-fund --loglevel=error
"$here/install-code-server.sh" "${GPUADVISOR_CODE_SERVER:-$root/build/code-server}"
