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
             (cons '(markdown-mode gfm-mode text-mode org-mode rst-mode)
                   (lambda (&rest _) (list 'lacuna-server lacuna-program "serve"))))

(defclass lacuna-server (eglot-lsp-server) ()
  :documentation "Lacuna, whose commands may take as long as a model does.")

(cl-defmethod eglot-execute ((server lacuna-server) action)
  "Run the command of ACTION on SERVER without waiting.
What it changes comes as an edit when it is ready."
  (let ((command (if (stringp (plist-get action :command)) action (plist-get action :command))))
    (jsonrpc-async-request
     server :workspace/executeCommand
     (list :command (plist-get command :command) :arguments (plist-get command :arguments))
     :timeout nil
     :success-fn #'ignore
     :error-fn (lambda (failed) (message "Lacuna: %s" (plist-get failed :message))))))

;; Commands.  Those about the question at point run the entry that the menu of code actions has for it.

(defun lacuna--argument (command key)
  "Return what the first argument of COMMAND has for KEY."
  (let ((arguments (plist-get command :arguments)))
    (and (> (length arguments) 0) (plist-get (aref arguments 0) key))))

(defun lacuna--at-point (name &optional key value)
  "Run the code action at point with command NAME and VALUE for argument KEY."
  (let* ((wanted (lambda (action)
                   (let ((command (if (stringp (plist-get action :command)) action (plist-get action :command))))
                     (and (equal (plist-get command :command) name)
                          (not (lacuna--argument command :gap))
                          (equal (and key (lacuna--argument command key)) value)))))
         (action (seq-find wanted (append (eglot-code-actions (point) (point) nil nil) nil))))
    (unless action (user-error "Nothing of the kind can be done here"))
    (eglot-execute (eglot-current-server) action)))

(defun lacuna--about-workspace (name)
  "Run the command NAME about the workspace."
  (eglot-execute (eglot-current-server)
                 (list :title name :command name :arguments (vector))))

(defun lacuna-answer-thoroughly ()
  "Answer the question at point with the most thorough system; needs a model."
  (interactive)
  (lacuna--at-point "lacuna.answerQuestion" :system "thorough"))

(defun lacuna-answer-with ()
  "Answer the question at point with a system to choose; needs a model."
  (interactive)
  (lacuna--at-point "lacuna.answerWith"))

(defun lacuna-preview ()
  "Show what answering the question at point would send to another machine."
  (interactive)
  (lacuna--at-point "lacuna.previewRequest"))

(defun lacuna-show-gaps ()
  "Show the open gaps of the workspace, grouped."
  (interactive)
  (lacuna--about-workspace "lacuna.showGaps"))

(defun lacuna-forget-consent ()
  "Take back what may be sent to other machines."
  (interactive)
  (lacuna--about-workspace "lacuna.forgetConsent"))

(provide 'lacuna)
;;; lacuna.el ends here
