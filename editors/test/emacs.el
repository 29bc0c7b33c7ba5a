;;; emacs.el --- Emacs with eglot end to end  -*- lexical-binding: t; -*-

;; With the lines of the guide as the init file, and the program on the PATH:
;; WORKSPACE=copy-of-the-clinic emacs -Q --batch -l init.el -l emacs.el

(require 'cl-lib)
(require 'flymake)
(require 'bytecomp)
(require 'checkdoc)
(setq eglot-sync-connect 60 eglot-connect-timeout 120 eglot-autoshutdown t
      eglot-send-changes-idle-time 0.05 flymake-no-changes-timeout 0.05
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
    (test-check name found)
    found))

(defun test-sent ()
  "Send the edits to the server; the idle timers that do so do not run in batch mode."
  (eglot--signal-textDocument/didChange)
  (undo-boundary))

(defun test-has (needle)
  (string-search needle (buffer-substring-no-properties (point-min) (point-max))))

(defun test-gap (needle)
  "Return flymake's text of the gap on the line of NEEDLE."
  (flymake-start)
  (save-excursion
    (goto-char (point-min))
    (when (search-forward needle nil t)
      (cl-some (lambda (d) (and (string-prefix-p "missing-" (or (lacuna--code d) "")) (flymake-diagnostic-text d)))
               (flymake-diagnostics (line-beginning-position) (line-end-position))))))

(defun test-choosing (patterns work)
  "Do WORK, choosing in each menu what the next of PATTERNS matches; return the prompts."
  (let* (prompts
         (completing-read-function
          (lambda (prompt choices &rest _)
            (push prompt prompts)
            (let* ((titles (all-completions "" choices))
                   (pattern (pop patterns))
                   (title (and pattern (cl-find-if (lambda (title) (string-match-p pattern title)) titles))))
              (test-check (format "the menu has %s" pattern) title titles)
              title))))
    (funcall work)
    (test-wait "every menu was shown" 60 (lambda () (null patterns)))
    (nreverse prompts)))

(defun test-goto (needle)
  (goto-char (point-min))
  (test-check (format "found %s" needle) (search-forward needle nil t))
  (goto-char (match-beginning 0)))

(defun test-hover (name)
  "Return the hover text at point, as eldoc would show it."
  (let (text)
    (eglot-hover-eldoc-function (lambda (shown &rest _) (setq text (substring-no-properties (or shown "")))))
    (test-wait name 10 (lambda () text))))

(let* ((source (expand-file-name "../emacs/lacuna.el" (file-name-directory load-file-name)))
       (byte-compile-dest-file-function (lambda (_) (make-temp-file "lacuna" nil ".elc")))
       (byte-compile-error-on-warn t)
       (checkdoc-diagnostic-buffer "*checkdoc*"))
  (test-check "an older Emacs is told what lacuna.el needs"
              (string-match-p "needs Emacs 30" (let ((emacs-major-version 28) (emacs-version "28.2"))
                                                 (condition-case refused (progn (load source nil t) "loaded") (error (error-message-string refused))))))
  (test-check "lacuna.el compiles without a warning" (byte-compile-file source))
  (let (complaints)
    (cl-letf (((symbol-function 'warn) (lambda (text &rest arguments) (push (apply #'format text arguments) complaints))))
      (checkdoc-file source))
    (test-check "checkdoc finds nothing" (null complaints) (or complaints ""))))

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
    (test-check "hover shows the gap" (string-search "Nearest places:" (test-hover "hover on the question")))
    (setq original (buffer-string))
    (undo-boundary)
    (test-goto "What is the usual dose of apixaban")
    (lacuna-answer)
    (test-wait "the answer is in the note" 20 (lambda () (string-search sentence (buffer-string))))
    (test-check "as Markdown" (string-search "<!-- lacuna " (buffer-string)))
    (eglot--signal-textDocument/didChange) ; idle timers do not run in batch mode
    (test-goto ", line ")
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
    (eglot--signal-textDocument/didChange)
    (set-buffer-modified-p nil)
    (test-wait "the mode line has the gaps" 60 (lambda () (string-match-p " Lacuna: [0-9]+ gaps" (lacuna-mode-line))))
    (lacuna-gaps)
    (test-wait "the gaps are listed" 20 (lambda () (string-search "tirzepatide" (buffer-string))))
    (test-check "in a list" (derived-mode-p 'lacuna-gaps-mode))
    (test-goto "Nothing on “tirzepatide”")
    (lacuna--visit)
    (test-check "a gap leads to its question" (and (equal (current-buffer) buffer) (looking-at-p ".*tirzepatide")) (buffer-name))
    (lacuna-sources)
    (test-wait "the sources are listed" 20 (lambda () (string-search "apixaban.md" (buffer-string))))
    (test-goto "medicines/apixaban.md")
    (lacuna--visit)
    (test-check "a source is opened" (string-suffix-p "apixaban.md" (buffer-file-name)) (buffer-file-name))
    (switch-to-buffer buffer)
    (goto-char (point-max))
    (insert "\nSee [apix")
    (eglot--signal-textDocument/didChange)
    (completion-at-point)
    (test-check "sources are offered" (get-buffer "*Completions*"))
    (test-check "that fit" (with-current-buffer "*Completions*" (string-search "Apixaban › Dose" (buffer-string))))
    (lacuna-explain "missing-topic")
    (test-check "a mark is explained" (with-current-buffer "*Lacuna explains*" (string-search "How to silence it" (buffer-string))))
    (lacuna-status)
    (test-wait "the status is shown" 20 (lambda () (with-current-buffer (messages-buffer) (string-search "391 passages in 62 files" (buffer-string)))))
    (delete-region (- (point-max) (length "\nSee [apix")) (point-max))
    (test-sent)
    (load (expand-file-name "emacs-features.el" (file-name-directory load-file-name)) nil t)
    (eglot-shutdown (eglot-current-server))
    (test-check "the server stops" t)))
(princ "PASS\n")
(kill-emacs 0)
