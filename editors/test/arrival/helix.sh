#!/usr/bin/env bash
# Helix with the set-up of its guide, in a folder of one's own; lacuna is on the PATH: HX=path NOTE=note ./helix.sh
set -u; here=$(cd "$(dirname "$0")/.." && pwd); . "$here/term.sh"; : "${HX:?}" "${NOTE:?}"
. "$here/setup-from-docs.sh"; mkdir -p "$TERM_W/cfg/helix"; cd "$(dirname "$NOTE")" || exit 1
export LACUNA_CACHE_DIR=$TERM_W/index
code_block docs/helix.md toml 1 > "$TERM_W/cfg/helix/languages.toml"; code_block docs/helix.md toml 2 > "$TERM_W/cfg/helix/config.toml"
COLS=110 ROWS=38 start "'$HX' $(basename "$NOTE")"
want "file shown" "Breakfast"
want "gap marked" "●" 120
typed "3G"; keys Space a; want "action menu" "Answer"
keys Enter; want "answer" "two hours at" 60; typed ":w"; keys Enter
infile "with its citation" "(kitchen.md#L3)" "$NOTE"
finish
