#!/usr/bin/env bash
# Tests Helix on a screen, with the configuration of its guide copied word for word; lacuna is on the PATH: HX=path OUT=folder ./helix.sh
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${HX:?}"
. "$here/setup-from-docs.sh"; mkdir -p "$TERM_W/cfg/helix"; workspace
code_block docs/helix.md toml 1 > "$TERM_W/cfg/helix/languages.toml"; code_block docs/helix.md toml 2 > "$TERM_W/cfg/helix/config.toml"
COLS=110 ROWS=38 start "'$HX' visit.md"
want "file shown" "Medication review"
want "gap marked" "●" 60
typed "$(lineof tirzepatide)G"; want "gap shown" "Nothing on.*tirzepatide"; shot hx-1-gap
keys Space k; want "hover" "Nearest places:"; shot hx-2-hover
keys Escape; gone "hover of the gap closed" "Nearest places:"; typed "$(lineof 'usual dose of apixaban')G"; keys Space a; want "action menu" "Answer"; shot hx-3-menu
keys Enter; want "answer" "is 5 mg twice a day"; want "gap at its question" "weight loss\?.*tirzepatide"; shot hx-4-answered
keys u; gone "undo" "is 5 mg twice a day"; keys U; want "redo" "is 5 mg twice a day"
typed ":w"; keys Enter; infile "saved" "is 5 mg twice a day" visit.md

# Navigation: the citation, its passage, its source, its references; the questions of the note and of all notes.
typed "gg/, line "; keys Enter; typed "l"; keys Space k; want "hover on the citation" "For a new blood clot"; keys Escape; gone "hover closed" "For a new blood clot"
typed "gd"; want "definition opens the source" "apixaban.md"; want "at the sentence" "1 sel  12:1 *$"; shot hx-5-source
typed "gr"; want "references lead to what cites it" "visit.md"; typed "visit"; keys Enter; want "and open it" "visit.md .* 1 sel  12:"
keys Space s; want "list of the note's questions" "kind +name"; typed "gout prevented"; want "questions of the note" "> .*How can gout attacks"; keys Escape; gone "list closed" "gout prevented"
keys Space S; want "list of all questions" "kind +name +container"; typed "gout prevented"; want "questions of all notes" "How can gout attacks be prevented"; shot hx-6-symbols; keys Escape; gone "list of all notes closed" "gout prevented"
keys Space d; want "all marks of the note" "missing-topic +Nothing on .peg"; keys Escape; gone "marks closed" "missing-topic"

# The menu removes an answer, and dismisses and restores a gap.
choose() { # choose LINE TITLE: from the menu at a line of the note
  local try
  for try in 1 2 3; do # keys that come while the note is written are lost at times
    typed "$1G"
    for _ in $(seq 20); do ! cap | grep -qE "1 sel +$1:" || break 2; sleep 0.1; done
  done
  keys Space a; want "the menu has: $2" "$2"
  local first at; first=$(cap | grep -nE 'Answer this question|Take as the answer|Open |Search again with|Start a page|Dismiss gap|Restore dismissed gap|Remove the answer' | head -1 | cut -d: -f1); at=$(cap | grep -nE -- "$2" | tail -1 | cut -d: -f1)
  while [ "$first" -lt "$at" ]; do keys Down; first=$((first+1)); done
  keys Enter
}
choose "$(lineof 'usual dose of apixaban')" "Remove the answer"; gone "the menu takes the answer out" "is 5 mg twice a day"
typed ":w"; keys Enter; infile_gone "and it is saved" "is 5 mg twice a day" visit.md
choose "$(lineof tirzepatide)" "Dismiss gap"; gone "a dismissed gap goes away" "Nothing on.*tirzepatide"
choose "$(lineof tirzepatide)" "Restore dismissed gap"; want "and comes back" "Nothing on.*tirzepatide"
choose "$(lineof tirzepatide)" "Take as the answer"; want "a nearest place is taken as the answer" "<!-- lacuna [0-9a-f -]+ taken"; keys u; gone "one undo takes it out" "<!-- lacuna [0-9a-f -]+ taken"
typed "$(lineof tirzepatide)G"; keys Space a; want "the menu has the places" "Take as the answer"; keys Up Up; want "and that none answers" "None of these places answers it"; keys Enter; want "the places are dismissed" "none of the nearest places answers this"; keys u; gone "and shown again" "none of the nearest places answers this"
choose "$(lineof tirzepatide)" "Open "; want "a nearest place is opened" "kb/guidelines/.*\.md .* 1 sel"; shot hx-9-place; typed ":o visit.md"; keys Enter; want "the note again" "visit.md .* 1 sel"
typed ":lsp-workspace-command lacuna.showGaps"; keys Enter; want "the page of all gaps" "What your sources do not know"; shot hx-7-gaps; typed ":o visit.md"; keys Enter; gone "the note again" "What your sources do not know"

# A crashed server is restarted by hand.
crash() { local p; for p in $(pgrep -x lacuna); do tr '\0' '\n' < "/proc/$p/environ" 2>/dev/null | grep -qx "LACUNA_CACHE_DIR=$LACUNA_CACHE_DIR" && kill -9 "$p"; done; }
crash; typed ":lsp-restart"; keys Enter; typed "$(lineof tirzepatide)G"
for _ in $(seq 30); do keys Space k; poll want "Nearest places:" 2 && break; keys i; poll want "^ INS" 5; keys Escape; poll want "^ NOR" 5; typed "$(lineof tirzepatide)G"; done # until it has read the sources; a key right behind Escape would be Alt and that key
want "another server answers" "Nearest places:"; keys Escape; gone "its hover closed" "Nearest places:"

typed "geo"; keys Enter; typed "See [apix"; keys C-x; want "sources are completed" "Apixaban › Dose"; shot hx-8-completion; keys Escape Escape
typed ":q!"; keys Enter; finish
