;;; emacs.el --- Emacs with the set-up of its guide, in a folder of one's own  -*- lexical-binding: t; -*-

;; NOTE=note emacs -Q --batch -l init.el -l emacs.el

(setq eglot-sync-connect 60 eglot-connect-timeout 120 eglot-autoshutdown t)

(let ((end (+ (float-time) (* 120 (string-to-number (or (getenv "WAIT_SCALE") "1"))))))
  (switch-to-buffer (find-file-noselect (getenv "NOTE")))
  (text-mode)
  (call-interactively #'eglot)
  (goto-char (point-min))
  (search-forward (getenv "QUESTION"))
  (while (and (not (string-search (getenv "SENTENCE") (buffer-string))) (< (float-time) end))
    (goto-char (point-min))
    (search-forward (getenv "QUESTION"))
    (lacuna-answer)
    (let ((soon (+ (float-time) 5)))
      (while (and (not (string-search (getenv "SENTENCE") (buffer-string))) (< (float-time) soon))
        (accept-process-output nil 0.05))))
  (set-buffer-modified-p nil)
  (if (and (string-search (getenv "SENTENCE") (buffer-string)) (string-search "(kitchen.md#L3)" (buffer-string)))
      (princ "ok   the answer is in the note\n")
    (princ (buffer-string))
    (kill-emacs 1)))
