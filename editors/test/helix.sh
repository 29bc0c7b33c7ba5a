#!/usr/bin/env bash
# Helix on a screen, with the configuration users copy: HX=path LACUNA=path OUT=folder ./helix.sh
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${HX:?}" "${LACUNA:?}"
mkdir -p "$TERM_W/cfg/helix"; workspace
sed "s|^command = \"lacuna\".*|command = \"$LACUNA\"|" "$here/../helix/languages.toml" > "$TERM_W/cfg/helix/languages.toml"
cat > "$TERM_W/cfg/helix/config.toml" <<C
[editor]
end-of-line-diagnostics = "hint"
[editor.inline-diagnostics]
cursor-line = "warning"
[editor.lsp]
display-progress-messages = true
C
COLS=120 ROWS=32 start "'$HX' visit.md"
want "file shown" "Medication review"
want "gap marked" "●" 60
typed "$(lineof tirzepatide)G"; want "gap shown" "Nothing on.*tirzepatide"; shot hx-1-gap
keys Space k; want "hover" "Nothing found that answers"; shot hx-2-hover
keys Escape; typed "$(lineof 'usual dose of apixaban')G"; keys Space a; want "action menu" "Answer"; shot hx-3-menu
keys Enter; want "answer" "is 5 mg twice a day"; shot hx-4-answered
keys u; gone "undo" "is 5 mg twice a day"; keys U; want "redo" "is 5 mg twice a day"
typed ":w"; keys Enter; infile "saved" "is 5 mg twice a day" visit.md
typed ":q!"; keys Enter; finish
