;;; emacs.el --- Emacs with eglot end to end  -*- lexical-binding: t; -*-

;; LACUNA=program WORKSPACE=copy-of-the-clinic emacs -Q --batch -l emacs.el

(require 'cl-lib)
(require 'flymake)
(load (expand-file-name "../emacs/lacuna.el" (file-name-directory load-file-name)) nil t)
(setq lacuna-program (getenv "LACUNA")
      eglot-sync-connect 5 eglot-connect-timeout 10 eglot-confirm-server-edits nil eglot-autoshutdown t
      eglot-send-changes-idle-time 0.05 flymake-no-changes-timeout 0.05
      make-backup-files nil auto-save-default nil create-lockfiles nil)

(defvar test-started (float-time))

(defun test-check (name passed &optional extra)
  "Report step NAME; end the run at the first one that has not PASSED."
  (princ (format "%s %s (%d ms) %s\n" (if passed "ok  " "FAIL") name (* 1000 (- (float-time) test-started)) (or extra "")))
  (unless passed (kill-emacs 1)))

(defun test-wait (name seconds condition)
  "Wait at most SECONDS for CONDITION, letting processes and timers run, and report it as step NAME."
  (let ((end (+ (float-time) (* seconds (string-to-number (or (getenv "WAIT_SCALE") "1"))))) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (test-check name found)
    found))

(defun test-goto (needle)
  (goto-char (point-min))
  (test-check (format "found %s" needle) (search-forward needle nil t))
  (goto-char (match-beginning 0)))

(defun test-hover (name)
  "Return the hover text at point, as eldoc would show it."
  (let (text)
    (eglot-hover-eldoc-function (lambda (shown &rest _) (setq text (substring-no-properties (or shown "")))))
    (test-wait name 10 (lambda () text))))

(let ((sentence "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.")
      (buffer (find-file-noselect (expand-file-name "visit.md" (getenv "WORKSPACE"))))
      original)
  (switch-to-buffer buffer) ; hover replies are dropped unless the buffer has a window
  (with-current-buffer buffer
    (text-mode)
    (buffer-enable-undo)
    (call-interactively #'eglot)
    (test-check "connected" (eglot-current-server))
    (flymake-mode 1)
    (test-wait "the gap of an unknown medicine is shown" 60
               (lambda () (flymake-start)
                 (cl-some (lambda (d) (string-match-p "tirzepatide" (flymake-diagnostic-text d))) (flymake-diagnostics))))
    (test-goto "tirzepatide")
    (test-check "hover shows the gap" (string-search "Nothing found" (test-hover "hover on the question")))
    (setq original (buffer-string))
    (undo-boundary)
    (test-goto "What is the usual dose of apixaban")
    (let* ((actions (eglot-code-actions (point) (point)))
           (answer (cl-find-if (lambda (a) (string-prefix-p "Answer this question" (plist-get a :title))) actions)))
      (test-check "code action" answer (mapcar (lambda (a) (plist-get a :title)) actions))
      (eglot-execute (eglot-current-server) answer))
    (test-wait "the answer is in the note" 20 (lambda () (string-search sentence (buffer-string))))
    (eglot--signal-textDocument/didChange) ; idle timers do not run in batch mode
    (test-goto "[1]")
    (forward-char 1)
    (let ((cited (test-hover "hover on the citation")))
      (test-check "it shows the passage" (string-search "For a new blood clot" cited) cited))
    (let ((xref-prompt-for-identifier nil)) (xref-find-definitions ""))
    (test-check "definition opens the source" (string-suffix-p "apixaban.md" (buffer-file-name)) (buffer-file-name))
    (test-check "at the sentence" (looking-at-p (regexp-quote sentence))))
  (with-current-buffer buffer
    (switch-to-buffer buffer)
    (undo-boundary)
    (undo-only)
    (test-check "one undo removes the answer" (equal original (buffer-string)))
    (eglot--signal-textDocument/didChange)
    (undo-boundary)
    (test-goto "What is the usual dose of apixaban")
    (lacuna-answer-thoroughly)
    (test-wait "a model has answered thoroughly" 60 (lambda () (string-search "background from the model" (buffer-string))))
    (set-buffer-modified-p nil)
    (eglot-shutdown (eglot-current-server))
    (test-check "the server stops" t)))
(princ "PASS\n")
(kill-emacs 0)
