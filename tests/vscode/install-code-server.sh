#!/usr/bin/env bash
# Installs code-server (VS Code served to a browser) and playwright-core for the end-to-end tests.
#
#   install-code-server.sh DEST [VERSION]
#
# Needs: node 20 with its headers, npm, python3, make and a C++ compiler; Debian's chromium,
# fonts-dejavu, fonts-liberation and ripgrep for running (apt). Everything else comes from the
# npm registry that npm is configured for: native modules are compiled, nothing is fetched by
# install scripts. Safe to run again: a finished install is left alone.
set -euo pipefail

dest=$(mkdir -p "${1:?usage: install-code-server.sh DEST [VERSION]}" && cd "$1" && pwd)
version=${2:-4.100.3}
playwright=1.65.1

flags=(--ignore-scripts --no-audit --no-fund --loglevel=error)
stamp=$dest/installed
wanted="code-server $version playwright-core $playwright"
if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then
  echo "$wanted is already in $dest"
  exit 0
fi

node_prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
if [[ ! -f $node_prefix/include/node/node.h ]]; then
  echo "no Node headers under $node_prefix/include/node: install Node with its headers" >&2
  exit 1
fi
npm_root=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
gyp=$npm_root/node_modules/node-gyp/bin/node-gyp.js

npm install --prefix "$dest" "code-server@$version" "playwright-core@$playwright" "${flags[@]}" >/dev/null
server=$dest/node_modules/code-server
vscode=$server/lib/vscode
npm install --prefix "$vscode" --omit=dev "${flags[@]}" >/dev/null
npm install --prefix "$vscode/extensions" --omit=dev "${flags[@]}" >/dev/null

# What the package's own postinstall would link.
ln -sfn node_modules "$vscode/node_modules.asar"
ln -sf code-linux.sh "$vscode/bin/remote-cli/code-server"
ln -sf browser-linux.sh "$vscode/bin/helpers/browser.sh"

compile() { # MODULE_DIR COMMAND...
  local module=$1
  shift
  (cd "$module" && "$@" >build.log 2>&1) || {
    tail -n 20 "$module/build.log" >&2
    exit 1
  }
}
for name in @vscode/spdlog native-watchdog @vscode/native-watchdog node-pty; do
  module=$vscode/node_modules/$name
  if [[ -f $module/binding.gyp ]]; then
    compile "$module" node "$gyp" rebuild --nodedir="$node_prefix"
  fi
done
argon=$dest/node_modules/argon2
[[ -d $argon ]] || argon=$server/node_modules/argon2
if [[ ! -d $argon/prebuilds ]]; then
  pre_gyp=$(cd "$argon" && node -p "require.resolve('@mapbox/node-pre-gyp/bin/node-pre-gyp')")
  compile "$argon" node "$pre_gyp" rebuild --build-from-source --nodedir="$node_prefix"
fi

# The module's postinstall would download ripgrep; the system's own does.
if [[ -d $vscode/node_modules/@vscode/ripgrep ]] && command -v rg >/dev/null; then
  mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
  ln -sf "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
fi

# With a config of its own: code-server writes a default one into the home directory otherwise.
printf 'auth: none\n' >"$dest/version.yaml"
node "$server/out/node/entry.js" --config "$dest/version.yaml" --version
echo "$wanted" >"$stamp"
