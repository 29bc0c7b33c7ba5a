#!/usr/bin/env bash
# pictures.sh OUT: the pictures of the guides, drawn from the screens of the last test in OUT. Needs ffmpeg and what termshot.mjs needs.
set -euo pipefail
out=${1:?folder of the last test}; here=$(cd "$(dirname "$0")" && pwd)
for picture in neovim:nv-5-citation helix:hx-4-answered emacs:em-4-gaps; do
  screen=$out/${picture#*:}
  node "$here/termshot.mjs" "$screen.ansi"
  ffmpeg -loglevel error -y -i "$screen.png" -vf "split[a][b];[a]palettegen=max_colors=32[p];[b][p]paletteuse=dither=none" -update 1 -frames:v 1 "$here/../../docs/${picture%:*}.png"
done
ls -l "$here"/../../docs/{neovim,helix,emacs}.png | awk '{print $5, $NF}'
