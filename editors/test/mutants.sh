#!/usr/bin/env bash
# mutants.sh runs chapters of the Node client against programs that drop one thing of what Lacuna says. Each has to fail, and the
# program that drops nothing has to pass.
#   mutants.sh LACUNA WORKSPACE
set -u
here=$(cd "$(dirname "$0")" && pwd)
export LACUNA_UNCHANGED=$1
wrapper=$HOME/mutant; printf '#!/bin/sh\nexec node "%s/mutant.mjs" "$@"\n' "$here" > "$wrapper"; chmod +x "$wrapper"
failed=0
for mutant in none severity relatedInformation tooltip isPreferred codeDescription; do
  case $mutant in tooltip) chapters="gaps navigating";; isPreferred) chapters="gaps answering";; none) chapters="gaps answering navigating";; *) chapters=gaps;; esac
  rm -rf "$2" "$LACUNA_CACHE_DIR"; cp -R "$2.original" "$2"
  MUTANT=$mutant CHAPTERS=$chapters timeout 200 node "$here/client.mjs" "$wrapper" "$2" > "$HOME/$mutant.log" 2>&1; rc=$?
  if [ "$mutant" = none ] && [ $rc != 0 ]; then echo "FAIL nothing is dropped"; tail -20 "$HOME/none.log"; failed=1
  elif [ "$mutant" != none ] && { [ $rc = 0 ] || ! grep -q AssertionError "$HOME/$mutant.log"; }; then echo "FAIL nobody misses $mutant"; tail -20 "$HOME/$mutant.log"; failed=1
  else echo "ok   $mutant"; fi
done
exit $failed
