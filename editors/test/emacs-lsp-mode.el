;;; emacs-lsp-mode.el --- Emacs with lsp-mode end to end  -*- lexical-binding: t; -*-

;; With lsp-mode on the load path, the lines of the guide as the init file, and the program on the PATH:
;; WORKSPACE=copy-of-the-clinic emacs -Q --batch -l init.el -l emacs-lsp-mode.el

(require 'cl-lib)
(require 'lsp-lens)
(setq lsp-enable-snippet nil lsp-auto-guess-root nil lsp-restart 'ignore lsp-diagnostics-provider :none lsp-idle-delay 0.05 lsp-debounce-full-sync-notifications nil
      lsp-enable-file-watchers nil lsp-warn-no-matched-clients nil lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      make-backup-files nil auto-save-default nil create-lockfiles nil)

(defvar test-started (float-time))

(defun test-check (name passed &optional extra)
  "Report step NAME; end the run unless it PASSED."
  (princ (format "%s %s (%d ms) %s\n" (if passed "ok  " "FAIL") name (* 1000 (- (float-time) test-started)) (or (and (not passed) extra) "")))
  (unless passed (kill-emacs 1)))

(defun test-wait (name seconds condition)
  "Wait at most SECONDS for CONDITION, letting processes and timers run, and report it as step NAME."
  (let ((end (+ (float-time) (* seconds (string-to-number (or (getenv "WAIT_SCALE") "1"))))) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (test-check name found (buffer-string))
    found))

(defun test-goto (needle)
  (goto-char (point-min))
  (test-check (format "found %s" needle) (search-forward needle nil t))
  (goto-char (match-beginning 0)))

(defun test-marks (needle)
  "Return what is marked on the line of NEEDLE."
  (save-excursion
    (goto-char (point-min))
    (search-forward needle)
    (let ((line (1- (line-number-at-pos))))
      (cl-loop for d in (gethash (lsp--fix-path-casing (buffer-file-name)) (lsp-diagnostics t))
               when (= line (lsp:position-line (lsp:range-start (lsp:diagnostic-range d))))
               collect (lsp:diagnostic-message d)))))

(defun test-hover ()
  "Return the hover at point."
  (let ((hover (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
    (if hover (lsp--render-on-hover-content (lsp:hover-contents hover) t) "")))

(let ((question "What is the usual dose of apixaban")
      (sentence "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.")
      (workspace (file-name-as-directory (getenv "WORKSPACE")))
      original)
  (lsp-workspace-folders-add workspace)
  (switch-to-buffer (find-file-noselect (expand-file-name "visit.md" workspace)))
  (buffer-enable-undo)
  (unless (derived-mode-p 'markdown-mode) (markdown-mode))
  (lsp)
  (test-wait "connected" 30 (lambda () (lsp-workspaces)))
  (test-wait "the gap of an unknown medicine is marked" 60 (lambda () (test-marks "starting dose of tirzepatide")))
  (test-check "it is named" (cl-some (lambda (m) (string-search "tirzepatide" m)) (test-marks "starting dose of tirzepatide")))
  (test-check "an answered question has no mark" (null (test-marks question)) (test-marks question))
  (test-goto "tirzepatide")
  (let ((hover (test-hover)))
    (test-check "the hover says what comes nearest" (string-search "Nearest places:" hover) hover))
  (setq original (buffer-string))
  (undo-boundary)
  (test-goto question)
  (let ((action (cl-find-if (lambda (a) (string-prefix-p "Answer this question" (lsp:code-action-title a))) (lsp-code-actions-at-point))))
    (test-check "the menu answers" action)
    (lsp-execute-code-action action))
  (test-wait "the answer is in the note" 30 (lambda () (string-search sentence (buffer-string))))
  (test-check "below its question" (< (string-search question (buffer-string)) (string-search sentence (buffer-string))))
  (test-goto ", line ")
  (forward-char 1)
  (let ((hover (test-hover)))
    (test-check "the hover on a citation shows the passage" (string-search "For a new blood clot" hover) hover))
  (let ((note (current-buffer)))
    (lsp-find-definition)
    (test-check "definition opens the source" (string-suffix-p "apixaban.md" (buffer-file-name)) (buffer-file-name))
    (test-check "at the sentence" (looking-at-p (regexp-quote sentence)))
    (switch-to-buffer note))
  (undo-boundary)
  (primitive-undo 1 (let ((list buffer-undo-list)) (while (and list (null (car list))) (pop list)) list))
  (test-check "undo takes the answer out" (equal original (buffer-string)) (buffer-string))
  (set-buffer-modified-p nil)
  (lsp-disconnect)
  (kill-emacs 0))

;;; emacs-lsp-mode.el ends here
