#!/usr/bin/env bash
# Tests Neovim on a screen, as a user sees it: NVIM=path OUT=folder ./neovim.sh   (neovim.lua is the headless test)
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${NVIM:?}"
workspace
# The source has a number in brackets, which Markdown would take for a link and hide.
printf '# Zolmitriptan\n\n## Trials\n\nIn the trial [7], zolmitriptan eased migraine within two hours.\n' > kb/guidelines/medicines/zolmitriptan.md
printf '\nHow fast did zolmitriptan ease migraine in the trial?\n' >> visit.md
mkdir -p "$TERM_W/data/nvim/site/pack/lacuna/start" "$TERM_W/cfg/nvim"
cp -R "$here/../neovim" "$TERM_W/data/nvim/site/pack/lacuna/start/lacuna"
cat > "$TERM_W/cfg/nvim/init.lua" <<C
vim.diagnostic.config({ virtual_text = { prefix = "●" } })
vim.o.swapfile = false; vim.o.termguicolors = true; vim.o.laststatus = 2; vim.o.linebreak = true; vim.o.breakindent = true
vim.o.statusline = " %f %= %{v:lua.require'lacuna'.statusline()} "
C
COLS=110 ROWS=38 start "'$NVIM' visit.md"
want "file shown" "Medication review"; want "gap shown" "● .*tirzepatide" 60; shot nv-1-gaps
typed "$(lineof tirzepatide)G"; keys K; want "hover" "Nearest places:"; shot nv-2-hover
keys j; keys Escape; typed "$(lineof 'usual dose of apixaban')G"; keys g r a; want "action menu" "Code actions"; shot nv-3-menu
keys 1 Enter; want "answer" "is 5 mg twice a day"; shot nv-4-answered
want "index ready" "Lacuna: [0-9]+ gaps" 60; typed "/, line "; keys Enter; keys K; want "hover on the citation" "For a new blood clot"; shot nv-5-citation
keys Escape; keys Escape; keys u; gone "undo" "is 5 mg twice a day"
typed "$(lineof 'How fast did zolmitriptan')G"; keys K; want "brackets survive a hover" "trial \\[7\\], zolmitriptan"; shot nv-6-brackets; keys j Escape; typed "zt"
typed ":Lacuna answer"; keys Enter; want "another answer" "two hours.*\\[Zolmitriptan"
typed "G?, line "; keys Enter; keys K; want "and in the passage of a citation" "^~? *In the trial \\[7\\]"; shot nv-7-brackets; keys Escape Escape
typed "Go"; keys Enter; typed "See [apix"; keys C-x C-o; want "sources are completed" "Apixaban › Dose"; shot nv-8-completion
keys C-e Escape; typed ":qa!"; keys Enter; finish
