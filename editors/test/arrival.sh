#!/usr/bin/env bash
# Installs each package as its guide says, word for word, in an empty home folder, up to an answer with its citation from a folder of one's own, and
# says how long that took.
#   RELEASE=dist OUT=/some/folder ./arrival.sh            every package
#   RELEASE=… OUT=… ./arrival.sh archive obsidian        some of them
# The lines come from the pages of docs by setup-from-docs.sh. RELEASE is a folder that `go run ./release` made; VSIX an extension with the
# program inside. CACHE as for all.sh, which fetched the editors. What is to be had only over a network, npm's packages, counts into the time.
set -u
here=$(cd "$(dirname "$0")" && pwd); repository=$(cd "$here/../.." && pwd)
. "$here/setup-from-docs.sh"
: "${RELEASE:?folder with a release}"; RELEASE=$(cd "$RELEASE" && pwd)
OUT=$(mkdir -p "${OUT:-out}" && cd "${OUT:-out}" && pwd)/arrival; mkdir -p "$OUT"
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna-editors}
export WAIT_SCALE=${WAIT_SCALE:-1}
known="archive debian obsidian claude-code mcpb neovim helix emacs vscode"
passed=0 failed=0 skipped=0
have() { command -v "$1" > /dev/null; }
skip() { skipped=$((skipped+1)); echo "SKIP $1: $2"; }
question="How long may milk stand outside the refrigerator?" sentence="Milk may stand outside the refrigerator for two hours at most."
export QUESTION=$question SENTENCE=$sentence

# fresh NAME: an empty home with a folder of one's own, and another with what was downloaded.
fresh() {
  home=$OUT/$1; rm -rf "$home"; mkdir -p "$home/downloads" "$home/Documents"
  printf '# Milk\n\n%s\n\n# Bread\n\nBread keeps for three days in a box of wood.\n' "$sentence" > "$home/Documents/kitchen.md"
  printf '# Breakfast\n\n- %s\n- What does bread cost in Lisbon?\n' "$question" > "$home/Documents/plan.md"
}
# homed COMMAND...: with the home, and of this machine only what any has
homed() { env -i HOME="$home" PATH="$home/.local/bin:${more:+$more:}/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 TERM=xterm QUESTION="$question" SENTENCE="$sentence" WAIT_SCALE="$WAIT_SCALE" OUT="$OUT/$name" "$@"; }
# guided FOLDER LINES: runs lines of a guide in a folder, as a person would type them
guided() { (cd "$1" && homed bash -euc "$2"); }
cites() { grep -qF "$sentence" "$1" && grep -qF "$2" "$1"; } # cites FILE NAME: the answer stands there, with the name of its source

one() { only=("$RELEASE"/$1); [ ${#only[@]} = 1 ] && [ -f "${only[0]}" ] || { echo "$RELEASE has no $1"; return 1; }; }
# program: the lines for archives, which the guides of editors begin with
program() { one 'lacuna-*-linux-amd64.tar.gz' && cp "${only[0]}" "$home/downloads" && guided "$home/downloads" "$(code_block docs/install.md sh 2)"; }
first() { guided "$home/Documents" "$(code_block docs/install.md sh 3)" > "$home/answer" 2>&1 || { cat "$home/answer"; return 1; }; cites "$home/answer" kitchen.md; }
own() { guided "$home/Documents" "$(code_block docs/install.md sh 3 | head -1)"; } # the folder becomes a source

arrive_archive() { program && first; }

arrive_debian() { # in a root that debootstrap made, with nothing in it but Debian's least
  one "lacuna_*_$(dpkg --print-architecture).deb" || return
  local root=$OUT/debian-root; rm -rf "$root"; cp -a "$debian" "$root" && mkdir -p "$root/root/downloads" && cp -R "$home/Documents" "$root/root" && cp "${only[0]}" "$root/root/downloads" || return
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "sudo() { \"\$@\"; }
cd ~/downloads
$(code_block docs/install.md sh 1)
cd ~/Documents
$(code_block docs/install.md sh 3)" > "$home/answer" 2>&1 || { cat "$home/answer"; return 1; }
  cites "$home/answer" kitchen.md
}

arrive_obsidian() {
  program && mv "$home/Documents" "$home/Vault" && git clone -q "$repository" "$home/lacuna" || return
  guided "$home/lacuna" "$(code_block docs/obsidian.md sh 1)" || return
  homed env PLUGIN="$home/Vault/.obsidian/plugins/lacuna" node "$here/arrival/obsidian.mjs" "$home/Vault"
}

agent() { homed node "$here/arrival/agent.mjs" "$@"; } # agent FOLDER NAME CONSENT COMMAND...

arrive_claude-code() { # by the line of the guide, and by the plug-in
  program && own || return
  local command line consent; consent=$(code_block docs/agents.md sh 2)
  line=$(code_block docs/agents.md sh 1); line=${line//\/path\/of\/your\/notes/$home/Documents}
  read -ra command <<< "${line#claude mcp add lacuna -- }"
  agent "$home/Documents" claude-code "$consent" "${command[@]}" || return
  guided "$home/Documents" "lacuna consent forget agent:claude-code" &&
    agent "$home/Documents" claude-code "$consent" plugin "$repository/editors/claude-code"
}

arrive_mcpb() {
  one 'lacuna-*-linux-amd64.mcpb' && agent "$home/Documents" claude-ai "" bundle "${only[0]}"
}

arrive_neovim() {
  program && own && mkdir -p "$home/.config/nvim/lsp" || return
  code_block README.md lua 1 > "$home/.config/nvim/lsp/lacuna.lua"; code_block README.md lua 2 > "$home/.config/nvim/init.lua"
  homed env NOTE="$home/Documents/plan.md" "$CACHE/terminal/bin/nvim" --headless -i NONE -n -c "luafile $here/arrival/neovim.lua"
}

arrive_helix() {
  program && own || return
  more="$home/.local/bin" homed env HX="$CACHE/terminal/bin/hx" NOTE="$home/Documents/plan.md" bash "$here/arrival/helix.sh"
}

arrive_emacs() {
  program && own && mkdir -p "$home/.emacs.d" && cp "$here/../emacs/lacuna.el" "$home/.emacs.d/" || return
  for n in 1 2; do code_block docs/emacs.md elisp $n; done > "$home/.emacs.d/init.el"
  homed env NOTE="$home/Documents/plan.md" "$CACHE/terminal/bin/emacs" -Q --batch -l "$home/.emacs.d/init.el" -l "$here/arrival/emacs.el"
}

arrive_vscode() { # nothing is on the PATH: the program is in the extension
  homed env VSCODE_ROOT="$CACHE/vscode" VSIX="$VSIX" NOTE="$home/Documents/plan.md" node "$here/arrival/vscode.mjs"
}

missing() { # missing NAME: why a package cannot be tried here
  case $1 in
    debian) [ "$(id -u)" = 0 ] && have debootstrap || { echo "needs root and debootstrap"; return; }
      debian=$CACHE/debian
      [ -e "$debian/.ready" ] || { rm -rf "$debian"; mkdir -p "$CACHE"; debootstrap --variant=minbase stable "$debian" > "$OUT/debootstrap.log" 2>&1 && touch "$debian/.ready" || echo "debootstrap made no root (debootstrap.log)"; };;
    obsidian) have npm && [ -d "$here/node_modules/jsdom" ] || echo "needs npm, and the packages of editors/test";;
    claude-code|mcpb) have node || echo "there is no node";;
    neovim|helix|emacs) [ -e "$CACHE/terminal/.ready" ] || echo "the editors were not fetched (editors-root.sh)"
      [ "$1" != helix ] || have tmux || echo "there is no tmux";;
    vscode) [ -e "$CACHE/vscode/node24" ] && [ -d "$here/../vscode/node_modules" ] || { echo "VS Code was not fetched (vscode-root.sh)"; return; }
      [ -f "${VSIX:-}" ] || echo "VSIX names no extension with the program inside";;
  esac
}

names=("$@"); [ ${#names[@]} -gt 0 ] || read -ra names <<< "$known"
for name in "${names[@]}"; do
  reason=$(missing "$name"); debian=$CACHE/debian more=""
  if [ -n "$reason" ]; then skip "$name" "$reason"; continue; fi
  fresh "$name"; begin=$(date +%s)
  if "arrive_$name" > "$OUT/$name.log" 2>&1; then
    passed=$((passed+1)); took=$(( $(date +%s) - begin ))
    echo "ok   $name: a cited answer from one's own folder after $took s$([ "$took" -le 180 ] || echo ', MORE THAN THREE MINUTES')"
  else failed=$((failed+1)); echo "FAIL $name; the end of $name.log:"; tail -30 "$OUT/$name.log" | sed 's/^/     /'; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
