#!/usr/bin/env bash
# edits.sh makes random edits (mixed scripts, emoji, every line end, every encoding, odd positions) with the server's code and
# with the reference, vscode-languageserver-textdocument, and compares the texts after each. Prints one line.
#   EDITS=1000000 SEED=1 editors/test/edits.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
twice() { "$@" || { sleep 20; "$@"; }; } # what comes through a network, which may fail once
[ -d "$here/node_modules/vscode-languageserver-textdocument" ] || (cd "$here" && twice npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
test=$(mktemp); trap 'rm -f "$test"' EXIT
(cd "$here/../.." && go test -c -o "$test" ./server/notes)
node "$here/edits.mjs" "${EDITS:-1000000}" "${SEED:-1}" |
  (cd "$here/../../server/notes" && LACUNA_EDITS=1 "$test" -test.run '^TestEditsOfReference$' -test.v) | grep -v '^=== '
