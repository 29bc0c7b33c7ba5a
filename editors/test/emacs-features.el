;;; emacs-features.el --- What Emacs can do besides the main journey  -*- lexical-binding: t; -*-

;; emacs.el loads this file with the note as the current buffer.  The tests leave the note unchanged.

(require 'imenu)
(require 'xref)

(defconst test-question "What is the usual dose of apixaban in atrial fibrillation?")
(defconst test-sentence "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.")
(defconst test-cautious "When should metformin be avoided in kidney disease?")
(defconst test-unknown "What is the starting dose of tirzepatide")

(defun test-answered (name needle command wanted)
  "As step NAME, run COMMAND at NEEDLE and wait until the note has WANTED."
  (test-sent)
  (test-goto needle)
  (funcall command)
  (test-wait name 60 (lambda () (test-has wanted)))
  (test-sent)
  (test-wait "and has ended" 60 (lambda () (null (jsonrpc--continuations (eglot-current-server))))))

(defun test-served ()
  "Start the server for this buffer."
  (unless (eglot-current-server) (call-interactively #'eglot))
  (test-wait "the server runs for the buffer" 60 (lambda () (or (eglot-managed-p) (ignore (eglot--maybe-activate-editing-mode))))))

(defun test-removed (needle)
  "Remove the answer below NEEDLE."
  (test-goto needle)
  (lacuna-remove)
  (test-wait "the answer is taken out" 60 (lambda () (not (test-has "<!-- lacuna:answer"))))
  (test-sent))

(defun test-menu (needle pattern)
  "Choose the code action at NEEDLE that PATTERN matches."
  (test-goto needle)
  (let ((last-nonmenu-event ?x)) ; a key, so that the menu is not for a mouse
    (test-choosing (list pattern) (lambda () (call-interactively #'eglot-code-actions)))))

(defun test-actions ()
  "Test the menu of code actions, and explanations of marks."
  (test-wait "the gap is marked" 60 (lambda () (test-gap test-unknown)))
  (test-check "its text names it" (string-match-p "Nothing on “tirzepatide”" (test-gap test-unknown)) (test-gap test-unknown))
  (test-answered "the menu answers" test-question (lambda () (test-menu test-question "^Answer this question$")) test-sentence)
  (test-menu test-question "^Remove the answer$")
  (test-wait "the menu takes the answer out" 60 (lambda () (not (test-has test-sentence))))
  (test-sent)
  (test-wait "the gap is marked as before" 60 (lambda () (test-gap test-unknown)))
  (test-menu test-unknown "^Dismiss gap")
  (test-wait "a dismissed gap goes away" 60 (lambda () (not (test-gap test-unknown))))
  (test-goto test-unknown)
  (lacuna-restore)
  (test-wait "and comes back" 60 (lambda () (test-gap test-unknown)))
  (test-goto test-unknown)
  (lacuna-dismiss)
  (test-wait "a command does the same" 60 (lambda () (not (test-gap test-unknown))))
  (test-menu test-unknown "^Restore dismissed")
  (test-wait "and the menu the other" 60 (lambda () (test-gap test-unknown)))
  (let ((note (current-buffer)))
    (test-goto test-unknown)
    (lacuna-start-page)
    (switch-to-buffer
     (test-wait "a page is started" 60
                (lambda () (cl-find-if (lambda (b) (string-match-p "/kb/guidelines/.*tirzepatide.*\\.md\\'" (or (buffer-file-name b) ""))) (buffer-list)))))
    (test-wait "with its heading" 60 (lambda () (test-has "# ")))
    (set-buffer-modified-p nil)
    (kill-buffer)
    (switch-to-buffer note)))

(defun test-navigation ()
  "Test symbols, references and everything else that navigates."
  (test-answered "the question is answered" test-question #'lacuna-answer test-sentence)
  (test-check "imenu lists the questions" (string-search test-question (format "%S" (eglot-imenu))))
  (test-goto "[1]")
  (forward-char 1)
  (let ((found (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))))
    (test-check "references lead to what cites the passage"
                (cl-some (lambda (x) (string-suffix-p "visit.md" (xref-location-group (xref-item-location x)))) found) found))
  (test-check "a question is found by its letters" (xref-backend-apropos 'eglot "gout prevented"))
  (let* ((source (expand-file-name "kb/guidelines/medicines/apixaban.md" (getenv "WORKSPACE")))
         (moved (expand-file-name "apixaban-tablets.md" (file-name-directory source)))
         (note (current-buffer)))
    (with-current-buffer (find-file-noselect source)
      (switch-to-buffer (current-buffer))
      (text-mode)
      (test-served)
      (lacuna-move moved)
      (test-check "a source is moved" (and (file-exists-p moved) (not (file-exists-p source)) (equal buffer-file-name moved)))
      (test-check "and the citation follows" (with-current-buffer note (test-has "(kb/guidelines/medicines/apixaban-tablets.md#L")))
      (with-current-buffer note (test-sent))
      (lacuna-move source)
      (test-check "and back" (with-current-buffer note (test-has "(kb/guidelines/medicines/apixaban.md#L"))))
    (switch-to-buffer note)
    (test-sent))
  (test-removed test-question)
  (let ((before (buffer-string)))
    (lacuna-answer-all)
    (test-wait "all questions are answered" 60 (lambda () (> (how-many "<!-- lacuna:answer" (point-min) (point-max)) 10)))
    (undo-boundary)
    (undo-only)
    (test-check "one undo takes all answers out" (equal before (buffer-string)))
    (test-sent)))

(defun test-models ()
  "Test a model's answers, and the user's decisions about them."
  (test-choosing '("^direct")
                 (lambda () (test-answered "a chosen system has answered" test-cautious #'lacuna-answer-with "alone, not from your sources")))
  (test-answered "overruled, the sources are searched" test-cautious #'lacuna-overrule "by scripted from")
  (test-goto test-cautious)
  (let ((shown (buffer-list)))
    (lacuna-show-gaps)
    (test-wait "the page of all gaps is shown" 60
               (lambda () (cl-find-if (lambda (b) (with-current-buffer b (test-has "What your sources do not know"))) (cl-set-difference (buffer-list) shown)))))
  (test-removed test-cautious))

(defun test-configured (name model text work)
  "Set the user's settings to TEXT, wait as step NAME until MODEL is in use, then do WORK."
  (let* ((file (expand-file-name "lacuna/config.toml" (getenv "XDG_CONFIG_HOME")))
         (before (with-temp-buffer (insert-file-contents file) (buffer-string)))
         (server (eglot-current-server))
         (named (lambda () (plist-get (aref (plist-get (slot-value server 'status) :folders) 0) :model))))
    (write-region text nil file nil 'silent)
    (test-wait name 60 (lambda () (equal (funcall named) model)))
    (funcall work)
    (write-region before nil file nil 'silent)
    (test-wait "the settings are as they were, without a restart" 60 (lambda () (equal (funcall named) "scripted")))))

(defun test-stopping ()
  "Test a model that never replies."
  (let* ((asked 0) (closed 0)
         (listener (make-network-process :name "silent" :server t :host 'local :service t :family 'ipv4
                                         :filter (lambda (_ _) (cl-incf asked))
                                         :sentinel (lambda (_ event) (unless (string-prefix-p "open" event) (cl-incf closed))))))
    (test-configured
     "another model is set" "silent"
     (format "[model]\nbase_url = \"http://127.0.0.1:%d/v1\"\nmodel = \"silent\"\n" (process-contact listener :service))
     (lambda ()
       (test-goto test-cautious)
       (lacuna-answer-thoroughly)
       (test-wait "an answer is under way" 60 (lambda () (> asked 0)))
       (test-wait "the mode line says so" 60 (lambda () (equal (lacuna-mode-line) " Lacuna: answering")))
       (lacuna-stop)
       (test-wait "it is stopped, and the model left alone" 60 (lambda () (> closed 0)))
       (test-wait "the mode line says that too" 60 (lambda () (string-match-p "gap" (lacuna-mode-line))))
       (test-check "nothing is written" (not (test-has "<!-- lacuna:answer")))))
    (delete-process listener)))

(defun test-consent ()
  "Test a model on another machine; the scripted server plays it, as the proxy."
  (test-configured
   "a model on another machine is set" "remote"
   (format "[model]\nbase_url = \"http://llm.example/v1\"\nmodel = \"remote\"\nproxy = \"%s\"\n" (string-remove-suffix "/v1" (getenv "MODEL_URL")))
   (lambda ()
     (let ((note (current-buffer))
           (beans "How far apart should runner beans stand?")
           (plan (find-file-noselect (expand-file-name "../garden/plan.md" (getenv "WORKSPACE")))))
       (switch-to-buffer plan)
       (text-mode)
       (test-served)
       (test-check "another folder has a server of its own" (not (eq (eglot-current-server) (with-current-buffer note (eglot-current-server)))))
       (test-wait "which has read its sources" 60 (lambda () (string-match-p "gap" (lacuna-mode-line))))
       (let ((shown (buffer-list)))
         (test-goto beans)
         (lacuna-preview)
         (test-wait "a preview shows what would be sent" 60
                    (lambda () (cl-find-if (lambda (b) (with-current-buffer b (and (test-has "llm.example") (test-has beans)))) (cl-set-difference (buffer-list) shown)))))
       (switch-to-buffer plan)
       (let ((asked (test-choosing '("^Show what would be sent" "^Send")
                                   (lambda () (test-answered "the model on the other machine has answered" beans #'lacuna-answer "by remote from")))))
         (test-check "consent was asked for by the name of the machine" (string-search "llm.example" (car asked)) asked))
       (lacuna-forget-consent)
       (test-wait "consent is taken back" 60 (lambda () (with-current-buffer (messages-buffer) (test-has "Nothing more is sent"))))
       (switch-to-buffer plan)
       (test-choosing '("^Not now")
                      (lambda () (test-answered "without it the sources answer alone" "How deep are potato tubers set?" #'lacuna-answer "(kb/potatoes.md#L")))
       (eglot-shutdown (eglot-current-server))
       (set-buffer-modified-p nil)
       (kill-buffer plan)
       (switch-to-buffer note)))))

(defun test-languages ()
  "Test notes in the languages that Emacs has a mode for."
  (let ((note (current-buffer)))
    (pcase-dolist (`(,file ,text ,begins) `(("visit.org" ,(concat "* " test-question "\n") "# lacuna:answer")
                                            ("visit.rst" ,(concat test-question "\n" (make-string (length test-question) ?-) "\n") ".. lacuna:answer")
                                            ("visit.txt" ,(concat test-question "\n") "--- lacuna answer")))
      (let ((path (expand-file-name file (getenv "WORKSPACE"))))
        (write-region text nil path nil 'silent)
        (switch-to-buffer (find-file-noselect path))
        (test-served)
        (test-answered (format "%s is answered in its language" file) test-question #'lacuna-answer begins)
        (test-goto test-question)
        (lacuna-remove)
        (test-wait "and the answer is taken out" 60 (lambda () (equal (buffer-string) text)))
        (set-buffer-modified-p nil)
        (kill-buffer)
        (delete-file path)
        (switch-to-buffer note)))))

(defun test-crash ()
  "Test a server that exits by itself."
  (let ((before (eglot-current-server)))
    (signal-process (jsonrpc--process before) 'SIGKILL)
    (test-wait "a server that has crashed is there again" 60
               (lambda () (let ((now (eglot-current-server))) (and now (not (eq now before)) (jsonrpc-running-p now)))))
    (flymake-mode 1)
    (test-wait "and marks gaps again" 60 (lambda () (test-gap test-unknown)))))

(test-goto test-question)
(when (test-has "<!-- lacuna:answer") (test-removed test-question))
(dolist (chapter '(test-actions test-navigation test-models test-stopping test-consent test-crash test-languages))
  (let ((before (buffer-string)))
    (funcall chapter)
    (test-check (format "%s leaves the note as it was" chapter) (equal before (buffer-string)))))
