#!/usr/bin/env bash
# all.sh runs every editor test and prints ok, FAIL or SKIP for each, with the reason; its last line is
# "N passed, N failed, N skipped". Exits with 1 on any failure. Name the editors that must be there in
# EDITORS_REQUIRED (default: "node nvim vscode" if CI is set, else none): skipping one of them is a failure.
# The journey through VS Code, which mostly waits, runs beside all others and is reported last.
#   CACHE=folder ./all.sh fetch      only fetches what they need, which waits for a network
#   LACUNA=program OUT=folder CACHE=folder ./all.sh [node node-minimal mutants edits codemirror obsidian nvim nvim-readme nvim-screen helix emacs emacs-screen emacs-lsp-mode vim-ale vim-lsp vim-yegappan vscode]
# SCRIPTED names the scripted model server (knowledge/llm/llmtest/scripted); if it is unset, go builds the server.
set -u
here=$(cd "$(dirname "$0")" && pwd); clinic=$here/../../examples/clinic; extension=$here/../vscode
. "$here/setup-from-docs.sh"
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna-editors}; mkdir -p "$CACHE"; CACHE=$(cd "$CACHE" && pwd)
twice() { "$@" || { sleep 20; "$@"; }; } # what comes through a network, which may fail once
packages() { # packages FOLDER MODULE: what npm has to bring, unless the module is there
  [ -d "$1/node_modules/$2" ] || (cd "$1" && twice npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}
if [ "$*" = fetch ]; then # whatever cannot be had is said by the tests that need it
  "$here/editors-root.sh" "$CACHE/terminal"; "$here/vscode-root.sh" "$CACHE/vscode"
  packages "$extension" esbuild; packages "$here" jsdom; packages "$here/../obsidian" esbuild
  exit
fi
: "${LACUNA:?path of the program to test}"; case $LACUNA in /*) ;; *) LACUNA=$PWD/$LACUNA;; esac
OUT=$(mkdir -p "${OUT:-out}" && cd "${OUT:-out}" && pwd)
# Editors find the program on the PATH, as a user's do.
mkdir -p "$OUT/bin"; ln -sf "$LACUNA" "$OUT/bin/lacuna"; PATH=$OUT/bin:$PATH
export LACUNA OUT PATH
required=${EDITORS_REQUIRED-${CI:+node nvim vscode}}
known="node node-minimal mutants edits codemirror obsidian nvim nvim-readme nvim-screen helix emacs emacs-screen emacs-lsp-mode vim-ale vim-lsp vim-yegappan vscode"
passed=0 failed=0 skipped=0 MODEL_URL=""; trap 'kill $(jobs -p) 2> /dev/null' EXIT
have() { command -v "$1" >/dev/null; }

run() { measure "$@"; report "$1"; } # run NAME COMMAND...
measure() { # measure NAME COMMAND...: leaves the exit code and the milliseconds for report
  local name=$1 begin rc; shift; begin=$(date +%s%N); rm -f "$OUT/$name.end"
  "$@" > "$OUT/$name.log" 2>&1; rc=$?
  echo "$rc $(( ($(date +%s%N) - begin) / 1000000 ))" > "$OUT/$name.end"
}
report() { # report NAME
  local name=$1 rc=unknown ms=0; read -r rc ms < "$OUT/$name.end"
  if [ "$rc" = 0 ]; then passed=$((passed+1)); echo "ok   $name ($ms ms, $(grep -c 'ok   ' "$OUT/$name.log") steps)"; first_try "$name"; return; fi
  failed=$((failed+1)); echo "FAIL $name ($ms ms), exit code $rc; the end of $name.log:"; tail -40 "$OUT/$name.log" | sed 's/^/     /'
  first_try "$name"
}
first_try() { # first_try NAME: what made a test be tried once more, if anything did
  grep -A 2 '^TRIED AGAIN' "$OUT/$1.log" | sed 's/^/     /'
}
journey() { # the one through VS Code: a click may hit what is drawn anew in that moment, so what fails is tried once more, and that is said
  local try rc window=""
  trap 'kill $model $window; exit 1' TERM; serve model-vscode # others count what their model is asked
  for try in 1 2; do
    fresh vscode
    env WORKSPACE="$workspace" ORIGINAL="$clinic/visit.md" VSCODE_ROOT="$CACHE/vscode" VSIX="$extension/lacuna.vsix" timeout 900 node "$here/vscode.mjs" > "$OUT/vscode-$try.log" 2>&1 & window=$!
    wait $window; rc=$?
    [ $rc != 0 ] || break
    [ ! -e "$OUT/failed.png" ] || mv "$OUT/failed.png" "$OUT/failed-$try.png"
  done
  if [ $try = 2 ]; then
    printf 'TRIED AGAIN: the first try, in vscode-1.log and failed-1.png, ended\n'
    { sed -n 's/^ok  */after: /p' "$OUT/vscode-1.log" | tail -1 | cut -c 1-200; grep -m 1 '^FAIL' "$OUT/vscode-1.log" || echo "FAIL it took longer than 15 minutes"; } | sed 's/\x1b\[[0-9;]*m//g; s/^/  /'
  fi
  cat "$OUT/vscode-$try.log"; kill $model; return $rc
}
serve() { # serve NAME: starts a model server, the process $model at MODEL_URL, which writes a line into NAME.log for each call
  rm -f "$OUT/$1-url"
  "$SCRIPTED" -wait 20ms -pace 2ms > "$OUT/$1-url" 2> "$OUT/$1.log" & model=$!
  for _ in $(seq 1200); do [ -s "$OUT/$1-url" ] && break; sleep 0.1; done
  MODEL_URL=$(cat "$OUT/$1-url")
}
skip() { # skip NAME REASON
  case " $required " in
    *" $1 "*) failed=$((failed+1)); echo "FAIL $1: required, but $2";;
    *) skipped=$((skipped+1)); echo "SKIP $1: $2";;
  esac
}
fresh() { # fresh NAME: a home of its own with copies of the examples, the clinic as $workspace
  home=$OUT/home-$1; workspace=$home/clinic; rm -rf "$home"; mkdir -p "$home/lacuna"; cp -R "$clinic" "$clinic/../garden" "$home"
  # A plain answer is the offline one, so that everything that needs no model is tested without; the model answers only by name.
  printf '\n[answer]\nsystem = "offline"\n' >> "$workspace/.lacuna.toml"
  [ -z "$MODEL_URL" ] || printf '[history]\nharvest = true\n[model]\nbase_url = "%s"\nmodel = "scripted"\n' "$MODEL_URL" > "$home/lacuna/config.toml"
}
homed() { # homed COMMAND...: with every folder a program may write to inside $home
  env HOME="$home" XDG_CONFIG_HOME="$home" XDG_DATA_HOME="$home" XDG_STATE_HOME="$home" XDG_CACHE_HOME="$home" \
    XDG_RUNTIME_DIR="$home" LACUNA_CACHE_DIR="$home/index" WORKSPACE="$workspace" ORIGINAL="$clinic/visit.md" "$@"
}

plugin() { # the Neovim plugin, where the guide has it copied to
  mkdir -p "$home/nvim/site/pack/lacuna/start"; cp -R "$here/../neovim" "$home/nvim/site/pack/lacuna/start/lacuna"
}

tests=("$@"); [ ${#tests[@]} -gt 0 ] || read -ra tests <<< "$known"
wants() { local t; for t in "${tests[@]}"; do case " $* " in *" $t "*) return 0;; esac; done; return 1; }
no_terminal="" no_vscode="" no_node=""
if wants nvim nvim-readme nvim-screen helix emacs emacs-screen emacs-lsp-mode; then
  twice "$here/editors-root.sh" "$CACHE/terminal" > "$OUT/editors-root.log" 2>&1 || no_terminal=$(tail -1 "$OUT/editors-root.log")
fi
if wants vscode; then
  twice "$here/vscode-root.sh" "$CACHE/vscode" > "$OUT/vscode-root.log" 2>&1 || no_vscode=$(tail -1 "$OUT/vscode-root.log")
  have chromium || have google-chrome || no_vscode="there is no chromium"
fi
if wants node node-minimal mutants vscode; then
  if ! have npm; then no_node="there is no npm"; else
    (packages "$extension" esbuild && cd "$extension" &&
      npm run -s check && npm test && npm run -s package) > "$OUT/extension.log" 2>&1 || no_node="the extension could not be built (extension.log)"
  fi
fi
if wants node mutants nvim emacs vscode; then # those that have a model answer
  if [ -z "${SCRIPTED:-}" ]; then
    SCRIPTED=$OUT/scripted; (cd "$here/../.." && go build -o "$SCRIPTED" ./knowledge/llm/llmtest/scripted) || exit 1
  fi
  serve model; export MODEL_URL SCRIPTED
fi
bin=$CACHE/terminal/bin
on_screen() { # on_screen NAME VARIABLE SCRIPT
  if [ -n "$no_terminal" ]; then skip "$1" "$no_terminal"; elif ! have tmux; then skip "$1" "there is no tmux"
  else run "$1" second_try env "$2" timeout 600 "$here/$3"; fi
}
second_try() { "$@" || { printf 'TRIED AGAIN: a key may be lost on a busy machine\n'; "$@"; }; }

vim() { # vim NAME CLIENT BLOCK FOLDER REASON: Vim with the plugin in a folder and the Nth block of its guide
  command -v vim > /dev/null || { skip "$1" "there is no Vim"; return; }
  [ -d "$4/plugin" ] || { skip "$1" "$5"; return; }
  fresh "$1"
  { printf '%s\n' 'set nocompatible hidden' 'filetype plugin on' "set runtimepath+=$4"; code_block docs/vim.md vim "$3"; echo 'runtime! plugin/ale.vim plugin/lsp.vim'; } > "$home/.vimrc"
  run "$1" homed CLIENT="$2" REPORT="$home/report" timeout 600 sh -c 'vim -N -u "$HOME/.vimrc" -i NONE -n -es -T dumb --not-a-term -S "$1/vim.vim" < /dev/null; rc=$?; cat "$REPORT"; exit $rc' - "$here"
}

beside=""
if wants vscode && [ -z "$no_vscode$no_node" ]; then
  measure vscode journey & beside=$!
  renice -n $(($(nice) + 5)) $$ > /dev/null # the others are patient: they wait for an answer, not for a picture of it
fi
for t in "${tests[@]}"; do case $t in
  node) if [ -n "$no_node" ]; then skip $t "$no_node"; else fresh $t; run $t homed timeout 600 node "$here/client.mjs" "$LACUNA" "$workspace"; fi;;
  codemirror) if ! have node || ! have npm; then skip $t "there is no node or no npm"
    elif ! packages "$here" jsdom > "$OUT/codemirror.log" 2>&1; then skip $t "its packages could not be had"
    else fresh $t; run $t homed timeout 600 node "$here/codemirror.mjs" "$LACUNA" "$workspace"; fi;;
  obsidian) if ! have node || ! have npm; then skip $t "there is no node or no npm"
    elif ! { packages "$here" jsdom && packages "$here/../obsidian" esbuild; } > "$OUT/obsidian.log" 2>&1; then skip $t "its packages could not be had"
    else fresh $t; cp -R "$here/obsidian-vault" "$home/vault"
      run $t homed sh -c 'cd "$1/../obsidian" && npm run -s check && npm run -s build && exec timeout 600 node "$1/obsidian.mjs" "$WORKSPACE" "$HOME/vault"' - "$here"; fi;;
  mutants) if [ -n "$no_node" ]; then skip $t "$no_node"; else fresh $t; cp -R "$workspace" "$workspace.original"; run $t homed timeout 1200 "$here/mutants.sh" "$LACUNA" "$workspace"; fi;;
  nvim-readme) if [ -n "$no_terminal" ]; then skip $t "$no_terminal"; else fresh $t; mkdir -p "$home/nvim/lsp"
    code_block README.md lua 1 > "$home/nvim/lsp/lacuna.lua"; code_block README.md lua 2 > "$home/nvim/init.lua"
    run $t homed timeout 600 "$bin/nvim" --headless -i NONE -n -c "luafile $here/neovim_readme.lua"; fi;;
  node-minimal) if [ -n "$no_node" ]; then skip $t "$no_node"; else fresh $t; run $t homed timeout 600 sh -c 'node "$1/minimal-client.mjs" "$LACUNA" "$WORKSPACE" && node "$1/kinds.mjs" "$LACUNA" "$WORKSPACE"' - "$here"; fi;;
  edits) if ! have node || ! have npm; then skip $t "there is no node or no npm"; elif ! have go; then skip $t "there is no go"; else run $t timeout 900 "$here/edits.sh"; fi;;
  nvim) if [ -n "$no_terminal" ]; then skip $t "$no_terminal"; else fresh $t; plugin
    run $t homed timeout 600 "$bin/nvim" --headless -i NONE -n -c "luafile $here/neovim.lua"; fi;;
  emacs) if [ -n "$no_terminal" ]; then skip $t "$no_terminal"; else fresh $t
    mkdir -p "$home/.emacs.d"; cp "$here/../emacs/lacuna.el" "$home/.emacs.d/"
    for n in 1 2; do code_block docs/emacs.md elisp $n; done > "$home/.emacs.d/init.el"
    run $t homed timeout 600 "$bin/emacs" -Q --batch -l "$home/.emacs.d/init.el" -l "$here/emacs.el"; fi;;
  emacs-lsp-mode) if [ -n "$no_terminal" ]; then skip $t "$no_terminal"; else fresh $t
    mkdir -p "$home/.emacs.d"; code_block docs/emacs.md emacs-lisp 1 > "$home/.emacs.d/init.el"
    paths=(); for package in "$CACHE"/terminal/root/usr/share/emacs/site-lisp/elpa-src/*/; do paths+=(-L "$package"); done
    # Native code of advice would need a C compiler's files beside it, which are not unpacked.
    run $t homed timeout 600 "$bin/emacs" -Q --batch --eval '(setq native-comp-enable-subr-trampolines nil native-comp-jit-compilation nil)' \
      "${paths[@]}" -l "$home/.emacs.d/init.el" -l "$here/emacs-lsp-mode.el"; fi;;
  vim-ale) vim $t ale 1 /usr/share/vim-ale "package vim-ale";;
  vim-lsp) vim $t vim-lsp 2 "${VIM_LSP:-}" "VIM_LSP names no checkout of vim-lsp";;
  vim-yegappan) vim $t lsp 3 "${YEGAPPAN_LSP:-}" "YEGAPPAN_LSP names no checkout of yegappan/lsp";;
  nvim-screen) on_screen $t NVIM="$bin/nvim" neovim.sh;;
  helix) on_screen $t HX="$bin/hx" helix.sh;;
  emacs-screen) on_screen $t EMACS="$bin/emacs" emacs.sh;;
  vscode) if [ -n "$no_vscode$no_node" ]; then skip $t "$no_vscode$no_node"; fi;; # else it is under way
  *) echo "FAIL $t: unknown; there are $known"; failed=$((failed+1));;
esac; done
[ -z "$beside" ] || { wait "$beside"; report vscode; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
