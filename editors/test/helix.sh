#!/usr/bin/env bash
# Helix on a screen, with the configuration of its guide, copied word for word; lacuna is on the PATH: HX=path OUT=folder ./helix.sh
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${HX:?}"
. "$here/copied.sh"; mkdir -p "$TERM_W/cfg/helix"; workspace
copied docs/helix.md toml 1 > "$TERM_W/cfg/helix/languages.toml"; copied docs/helix.md toml 2 > "$TERM_W/cfg/helix/config.toml"
COLS=110 ROWS=38 start "'$HX' visit.md"
want "file shown" "Medication review"
want "gap marked" "●" 60
typed "$(lineof tirzepatide)G"; want "gap shown" "Nothing on.*tirzepatide"; shot hx-1-gap
keys Space k; want "hover" "Nothing found that answers"; shot hx-2-hover
keys Escape; typed "$(lineof 'usual dose of apixaban')G"; keys Space a; want "action menu" "Answer"; shot hx-3-menu
keys Enter; want "answer" "is 5 mg twice a day"; want "gap at its question" "weight loss\?.*tirzepatide"; shot hx-4-answered
keys u; gone "undo" "is 5 mg twice a day"; keys U; want "redo" "is 5 mg twice a day"
typed ":w"; keys Enter; infile "saved" "is 5 mg twice a day" visit.md
typed "geo"; keys Enter; typed "See [apix"; keys C-x; want "sources are completed" "Apixaban › Dose"; shot hx-5-completion; keys Escape Escape
typed ":q!"; keys Enter; finish
