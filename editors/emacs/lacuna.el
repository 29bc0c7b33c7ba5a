;;; lacuna.el --- Lacuna for Emacs with eglot  -*- lexical-binding: t; -*-

;; Load this file, or copy it into your init file.  It needs Emacs 29 or newer; markdown-mode is optional.

(require 'eglot)
(require 'project)

(defcustom lacuna-program "lacuna"
  "The Lacuna program: a name on `exec-path' or a full file name."
  :type 'string
  :group 'eglot
  :risky t)

(defun lacuna-project-root (directory)
  "Return the project of notes that DIRECTORY belongs to, marked by .lacuna.toml or kb."
  (let ((root (or (locate-dominating-file directory ".lacuna.toml")
                  (locate-dominating-file directory "kb"))))
    (and root (cons 'transient root))))

(add-hook 'project-find-functions #'lacuna-project-root)

(add-to-list 'eglot-server-programs
             (cons '(markdown-mode gfm-mode text-mode)
                   (lambda (&rest _) (list lacuna-program "serve"))))

(provide 'lacuna)
;;; lacuna.el ends here
