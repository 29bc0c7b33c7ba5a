#!/usr/bin/env bash
# Emacs with eglot on a screen: EMACS=path LACUNA=path OUT=folder ./emacs.sh   (emacs.el is the batch test)
set -u; here=$(cd "$(dirname "$0")" && pwd); . "$here/term.sh"; : "${EMACS:?}" "${LACUNA:?}"
workspace
cat > "$TERM_W/init.el" <<C
(load "$here/../emacs/lacuna.el")
(setq lacuna-program "$LACUNA")
(add-hook 'text-mode-hook #'eglot-ensure)
(add-to-list 'auto-mode-alist '("\\\\.md\\\\'" . text-mode))
(setq eglot-confirm-server-edits nil eldoc-idle-delay 0.1 make-backup-files nil auto-save-default nil create-lockfiles nil
      inhibit-startup-screen t flymake-show-diagnostics-at-end-of-line t flymake-no-changes-timeout 0.1)
C
COLS=120 ROWS=32 start "'$EMACS' -nw -Q -l '$TERM_W/init.el' visit.md"
want "file shown" "Medication review"
want "gap shown" "Nothing on.*tirzepatide" 60; shot em-1-gap
keys M-g g; want "goto prompt" "Goto line"; typed "$(lineof 'usual dose of apixaban')"; keys Enter
keys M-x; want "M-x prompt" "M-x"; typed "eglot-code-actions"; keys Enter; want "action prompt" "Pick an action.*Answer"; shot em-2-menu
keys Enter; want "answer" "is 5 mg twice a day"; shot em-3-answered
keys C-x u; gone "undo" "is 5 mg twice a day"
keys C-x C-c; finish
