#!/usr/bin/env bash
# Tests Emacs with eglot on a screen: EMACS=path OUT=folder ./emacs.sh   (emacs.el is the batch test)
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${EMACS:?}"
. "$here/setup-from-docs.sh"; workspace; mkdir -p "$TERM_W/.emacs.d"; cp "$here/../emacs/lacuna.el" "$TERM_W/.emacs.d/"
cat > "$TERM_W/.emacs.d/init.el" <<C
$(code_block docs/emacs.md elisp 1; code_block docs/emacs.md elisp 2)
(add-hook 'text-mode-hook #'eglot-ensure)
(add-hook 'text-mode-hook #'visual-line-mode)
(add-to-list 'auto-mode-alist '("\\\\.md\\\\'" . text-mode))
(setq eldoc-idle-delay 0.1 make-backup-files nil auto-save-default nil create-lockfiles nil
      inhibit-startup-screen t flymake-no-changes-timeout 0.1)
C
COLS=118 ROWS=44 start "'$EMACS' -nw visit.md"
want "file shown" "Medication review"
want "gap shown" "Nothing on.*tirz" 60; shot em-1-gap
keys M-g g; want "goto prompt" "Goto line"; typed "$(lineof 'usual dose of apixaban')"; keys Enter
keys M-x; want "M-x prompt" "M-x"; typed "eglot-code-actions"; keys Enter; want "action prompt" "Pick an action.*Answer"; shot em-2-menu
keys Enter; want "answer" "is 5 mg twice a day"; want "marks at their questions" "weight loss\? .*tirz"
want "index ready" "Lacuna: [0-9]+ gaps" 60; shot em-3-answered
keys M-x; want "M-x prompt again" "M-x"; typed "lacuna-gaps"; keys Enter; want "gaps listed" "visit.md:[0-9]+ .*pegloticase"; shot em-4-gaps
keys Enter; want "a gap leads to its question" "visit.md .*L1[56] "; keys C-x 1; gone "list closed" "Lacuna gaps"
keys C-x u; gone "undo" "is 5 mg twice a day"
keys "M->" Enter; typed "See [apix"; keys Escape Tab; want "sources are completed" "Apixaban › Dose"
keys M-Down M-Enter; want "one is chosen" "See \\[Apixaban.*\\]\\(kb/"; shot em-5-completion
keys C-x C-c; finish
