#!/usr/bin/env bash
# vscode-pictures.sh [LOOK...]: makes the pictures of VS Code in docs/ from the product itself, in every look, and the two films from the
# first. env: LACUNA, OUT and CACHE as for all.sh, which has to have run vscode before. Needs ffmpeg, pngquant, optipng and gifsicle.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); docs=$here/../../docs; clinic=$here/../../examples/clinic
: "${LACUNA:?path of the program}"; OUT=$(mkdir -p "${OUT:-out}" && cd "${OUT:-out}" && pwd)
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna-editors}
case $LACUNA in /*) ;; *) LACUNA=$PWD/$LACUNA;; esac
[ -n "${SCRIPTED:-}" ] || { SCRIPTED=$OUT/scripted; (cd "$here/../.." && go build -o "$SCRIPTED" ./knowledge/llm/llmtest/scripted); }
looks=("$@"); [ ${#looks[@]} -gt 0 ] || looks=({light,dark,contrast}-{1024,1920})
"$SCRIPTED" -wait 20ms -pace 2ms > "$OUT/model-url" & model=$!; trap 'kill $model' EXIT
until [ -s "$OUT/model-url" ]; do sleep 0.1; done
for look in "${looks[@]}"; do
  case $look in light-*) theme="Light 2026";; dark-*) theme="Dark 2026";; *) theme="Default High Contrast";; esac
  width=${look#*-} out=$OUT/$look; rm -rf "$out"; mkdir -p "$out/home" "$docs/pictures/$look"; cp -R "$clinic" "$out/home"
  printf '\n[answer]\nsystem = "offline"\n' >> "$out/home/clinic/.lacuna.toml"
  [ "$look" = light-1024 ] && chapters="" || chapters="citation changed colours views topics settings notebook consent" # one film is enough
  env ${chapters:+CHAPTERS="$chapters"} OUT="$out" THEME="$theme" WIDTH="$width" HEIGHT=$(( width > 1500 ? 900 : 720 )) MODEL_URL="$(cat "$OUT/model-url")" LACUNA="$LACUNA" \
    WORKSPACE="$out/home/clinic" VSCODE_ROOT="$CACHE/vscode" VSIX="$here/../vscode/lacuna.vsix" node "$here/vscode-pictures.mjs"
  for picture in "$out"/vscode*.png; do
    small=$docs/pictures/$look/${picture##*/}
    pngquant --force --speed 1 --nofs 32 --output "$small" "$picture"
    optipng -quiet -o2 -strip all "$small"
  done
done
film() { # film NAME FRAME...
  local name=$1; shift
  "$here/film.sh" "$OUT/$name.gif" 2 "$@" > /dev/null
  gifsicle -O3 --colors 64 "$OUT/$name.gif" -o "$docs/$name.gif"
}
first=$OUT/light-1024
if [ -d "$first" ]; then
  film lacuna "$first"/{vscode,film-1,film-2,vscode-citation,film-4,vscode-views}.png
  film vscode-first-answer "$first"/three-?.png
fi
du -ch "$docs"/*.gif "$docs"/pictures | tail -5
