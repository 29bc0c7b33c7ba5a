#!/usr/bin/env bash
# obsidian-film.sh: makes docs/obsidian.gif of the plug-in for Obsidian as it runs (obsidian-film.mjs). env: LACUNA and OUT as for all.sh, which has
# to have run obsidian and vscode before: the one builds the plug-in, the other has the driver of the browser. Needs chromium, ffmpeg and gifsicle.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${LACUNA:?path of the program}"; OUT=$(mkdir -p "${OUT:-out}" && cd "${OUT:-out}" && pwd)/obsidian-film
case $LACUNA in /*) ;; *) LACUNA=$PWD/$LACUNA;; esac
rm -rf "$OUT"; mkdir -p "$OUT/home"; cp -R "$here/../../examples/clinic" "$OUT/home"
printf '\n[answer]\nsystem = "offline"\n' >> "$OUT/home/clinic/.lacuna.toml"
env HOME="$OUT/home" XDG_CONFIG_HOME="$OUT/home" LACUNA_CACHE_DIR="$OUT/home/index" LACUNA="$LACUNA" node "$here/obsidian-film.mjs" "$OUT/home/clinic" "$OUT/frames"
"$here/film.sh" "$OUT/obsidian.gif" 2 "$OUT"/frames/*.png > /dev/null
gifsicle -O3 --colors 64 "$OUT/obsidian.gif" -o "$here/../../docs/obsidian.gif"
ls -l "$here/../../docs/obsidian.gif" | awk '{print $5, $NF}'
