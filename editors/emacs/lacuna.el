;;; lacuna.el --- Answers to the questions in notes, from your own sources  -*- lexical-binding: t; -*-

;; Author: The authors of Lacuna
;; Version: 0.1.0
;; Package-Requires: ((emacs "30.1"))
;; Keywords: convenience, languages, hypermedia
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Lacuna is a language server that answers the questions in your notes from your own documents, word for word and with
;; citations, and marks what these documents do not know.  This file registers it with eglot and adds commands:
;;
;;   (load "/path/to/lacuna.el")
;;   (add-hook 'markdown-mode-hook #'eglot-ensure)
;;
;; Needs the program lacuna on `exec-path'; markdown-mode is optional.  See docs/emacs.md of Lacuna.

;;; Code:

;; Older versions would fail with an error that does not mention the version.
(when (< emacs-major-version 30)
  (error "Lacuna: lacuna.el needs Emacs 30.1 or newer; this is Emacs %s" emacs-version))

(require 'cl-lib)
(require 'eglot)
(require 'project)
(require 'seq)
(require 'tabulated-list)

(defgroup lacuna nil
  "Answers to the questions in notes, from your own sources."
  :group 'eglot
  :prefix "lacuna-")

(defcustom lacuna-program "lacuna"
  "The Lacuna program: a name on variable `exec-path' or a full file name."
  :type 'string
  :risky t)

;;;; The server

;; A folder of notes holds .lacuna.toml or kb; the server has the same rule.
(defun lacuna-project-root (directory)
  "Return the project of notes that DIRECTORY belongs to."
  (when-let* ((root (or (locate-dominating-file directory ".lacuna.toml")
                        (locate-dominating-file directory "kb"))))
    (cons 'transient root)))

(add-hook 'project-find-functions #'lacuna-project-root)

(defclass lacuna-server (eglot-lsp-server)
  ((status :initform nil :documentation "What the server said last about its state."))
  :documentation "Lacuna, whose commands may take as long as a model does.")

(defun lacuna--contact (&rest _)
  "Return how to start the server."
  (list 'lacuna-server lacuna-program "serve"))

;; In `text-mode' the server tells the language from the file name.  Modes derived from it keep their own servers, because eglot uses
;; the first matching entry.
(add-to-list 'eglot-server-programs
             (cons '((markdown-mode :language-id "markdown") (gfm-mode :language-id "markdown") (org-mode :language-id "org")
                     (rst-mode :language-id "rst") (adoc-mode :language-id "asciidoc") (typst-ts-mode :language-id "typst"))
                   #'lacuna--contact))
(add-to-list 'eglot-server-programs (cons '((text-mode :language-id "")) #'lacuna--contact) t)

(cl-defmethod eglot-client-capabilities ((_server lacuna-server))
  "Declare support for creating and moving files, questions and status."
  (let ((capabilities (cl-call-next-method)))
    (plist-put capabilities :window
               (append '(:showMessage (:messageActionItem (:additionalPropertiesSupport :json-false)))
                       (plist-get capabilities :window)))
    (plist-put capabilities :workspace
               (append '(:workspaceEdit (:documentChanges t :resourceOperations ["create"])
                         :fileOperations (:willRename t :didRename t))
                       (plist-get capabilities :workspace)))
    (plist-put capabilities :experimental '(:lacuna (:status t)))))

(cl-defmethod eglot-handle-request ((_server lacuna-server) (_method (eql workspace/applyEdit)) &key edit &allow-other-keys)
  "Apply EDIT; show each new file, for the user to save."
  (let ((changes (plist-get edit :documentChanges)))
    (seq-doseq (change changes)
      (when (equal (plist-get change :kind) "create")
        (pop-to-buffer (find-file-noselect (eglot-uri-to-path (plist-get change :uri))))))
    (eglot--apply-workspace-edit
     (list :documentChanges (seq-remove (lambda (change) (plist-get change :kind)) changes)) last-command)
    '(:applied t)))

(cl-defmethod eglot-handle-request ((_server lacuna-server) (_method (eql window/showMessageRequest))
                                    &key message actions &allow-other-keys)
  "Show MESSAGE and let the user choose one of ACTIONS.
Unlike in eglot's own, RET alone chooses nothing: the choice may allow
something to be sent to another machine."
  (let ((chosen (condition-case nil
                    (completing-read (concat message "\n") (mapcar (lambda (action) (plist-get action :title)) actions) nil t)
                  (quit ""))))
    (if (string-empty-p chosen) :null (list :title chosen))))

(cl-defmethod eglot-handle-notification ((server lacuna-server) (_method (eql lacuna/status)) &rest status)
  "Store the STATUS of SERVER for the mode line."
  (setf (slot-value server 'status) status)
  (force-mode-line-update t))

(cl-defmethod eglot-execute ((server lacuna-server) action)
  "Have SERVER run the command of ACTION without waiting.
Changes arrive as an edit when they are ready."
  (let ((command (lacuna--command action)))
    (if (or (plist-get action :edit) (not command))
        (cl-call-next-method)
      (lacuna--request server (plist-get command :command) (plist-get command :arguments) #'ignore))))

(defun lacuna--command (action)
  "Return the command of ACTION, a code action or a command."
  (if (stringp (plist-get action :command)) action (plist-get action :command)))

(defun lacuna--request (server name arguments reply)
  "Have SERVER execute NAME with ARGUMENTS, a vector.
Call REPLY with the result."
  (jsonrpc-async-request
   server :workspace/executeCommand (list :command name :arguments arguments)
   :timeout nil
   :success-fn reply
   :error-fn (lambda (failed) (message "Lacuna: %s" (plist-get failed :message)))))

(defun lacuna--server ()
  "Return the Lacuna server of this buffer, or else another one."
  (let ((here (eglot-current-server)))
    (or (and (cl-typep here 'lacuna-server) here)
        (seq-find (lambda (server) (cl-typep server 'lacuna-server))
                  (apply #'append (hash-table-values eglot--servers-by-project)))
        (user-error "Lacuna does not run here; M-x eglot starts it"))))

;;;; The question at point

(defun lacuna--argument (command key)
  "Return the value of KEY in the first argument of COMMAND."
  (let ((arguments (plist-get command :arguments)))
    (and (> (length arguments) 0) (plist-get (aref arguments 0) key))))

(defun lacuna--true (value)
  "Return non-nil unless VALUE, parsed from JSON, is false, null or absent."
  (and value (not (eq value :json-false))))

(defun lacuna--at-point (name &optional wanted)
  "Run the code action at point that has the command NAME.
WANTED, if non-nil, is called with the command and accepts or refuses it.
Where there are several, ask for one."
  (unless (eglot-current-server) (user-error "Lacuna does not run in this buffer; M-x eglot starts it"))
  (let* ((fits (lambda (action)
                 (let ((command (lacuna--command action)))
                   (and (equal (plist-get command :command) name)
                        (or (null wanted) (funcall wanted command))))))
         (actions (eglot-code-actions (point) (point)))
         (found (seq-filter fits actions))
         (refused (seq-some (lambda (action) (plist-get (plist-get action :disabled) :reason)) actions))
         (chosen (if (cdr found)
                     (let ((titles (mapcar (lambda (action) (cons (plist-get action :title) action)) found)))
                       (cdr (assoc (completing-read "Which one? " titles nil t) titles)))
                   (car found))))
    (unless chosen
      (user-error "%s" (or refused "Nothing of the kind can be done here; go to a question or its answer")))
    (eglot-execute (eglot-current-server) chosen)))

(defun lacuna--plain (command)
  "Return non-nil if COMMAND answers with default arguments."
  (not (seq-some (lambda (key) (lacuna--true (lacuna--argument command key))) '(:system :fresh :gap :override))))

;;;###autoload
(defun lacuna-answer ()
  "Answer the question at point."
  (interactive)
  (lacuna--at-point "lacuna.answerQuestion" #'lacuna--plain))

(defun lacuna-answer-thoroughly ()
  "Answer the question at point with the most thorough system; needs a model."
  (interactive)
  (lacuna--at-point "lacuna.answerQuestion"
                    (lambda (command) (and (equal (lacuna--argument command :system) "thorough")
                                           (not (lacuna--argument command :gap))))))

(defun lacuna-answer-with ()
  "Answer the question at point with a system to choose; needs a model."
  (interactive)
  (lacuna--at-point "lacuna.answerWith"))

(defun lacuna-answer-again ()
  "Answer the question at point again without cached replies."
  (interactive)
  (lacuna--at-point "lacuna.answerQuestion" (lambda (command) (lacuna--true (lacuna--argument command :fresh)))))

(defun lacuna-overrule ()
  "Answer the question at point against the gate's decision.
That is from your sources where the model answered alone, and the reverse."
  (interactive)
  (lacuna--at-point "lacuna.answerQuestion" (lambda (command) (lacuna--true (lacuna--argument command :override)))))

(defun lacuna-accept ()
  "Keep the answer at point for later questions."
  (interactive)
  (lacuna--at-point "lacuna.acceptAnswer"))

(defun lacuna-take-place ()
  "Take a nearest place as the answer: the one at point, or one that you choose."
  (interactive)
  (lacuna--at-point "lacuna.takePlace"))

(defun lacuna-open-place ()
  "Open a nearest place: the one at point, or one that you choose."
  (interactive)
  (lacuna--at-point "lacuna.openPlace"))

(defun lacuna-dismiss-places ()
  "Take the nearest places out of the note: none of them answers."
  (interactive)
  (lacuna--at-point "lacuna.dismissPlaces"))

(defun lacuna-remove ()
  "Remove the answer at point."
  (interactive)
  (lacuna--at-point "lacuna.removeAnswer"))

(defun lacuna-preview ()
  "Show what answering the question at point would send to another machine."
  (interactive)
  (lacuna--at-point "lacuna.previewRequest"))

(defun lacuna-dismiss ()
  "Dismiss the gap at point."
  (interactive)
  (lacuna--at-point "lacuna.dismissGap"))

(defun lacuna-restore ()
  "Restore a dismissed gap at point."
  (interactive)
  (lacuna--at-point "lacuna.restoreGap"))

(defun lacuna-start-page ()
  "Start a page in your sources about what is missing at point."
  (interactive)
  (lacuna--at-point "lacuna.startPage"))

(defun lacuna-explain (code)
  "Explain the diagnostic CODE, by default the question's at point."
  (interactive
   (let ((here (seq-some #'lacuna--code (flymake-diagnostics (line-beginning-position) (line-end-position)))))
     (list (or here (read-string "Code of the mark: " "missing-topic")))))
  (with-current-buffer (get-buffer-create "*Lacuna explains*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (call-process lacuna-program nil t nil "explain" code)
      (goto-char (point-min))
      (special-mode))
    (display-buffer (current-buffer))))

(defun lacuna--code (diagnostic)
  "Return the code of DIAGNOSTIC when it is one of Lacuna's."
  (let ((sent (cdr (assoc 'eglot-lsp-diag (flymake-diagnostic-data diagnostic)))))
    (and (equal (plist-get sent :source) "lacuna") (plist-get sent :code))))

;;;; The workspace

(defun lacuna--about-workspace (name)
  "Run the command NAME about the workspace."
  (lacuna--request (lacuna--server) name (vector) #'ignore))

(defun lacuna-answer-all ()
  "Answer every open question of the note."
  (interactive)
  (unless (eglot-current-server) (user-error "Lacuna does not run in this buffer; M-x eglot starts it"))
  (lacuna--request (eglot-current-server) "lacuna.answerAll" (vector (list :v 1 :uri (eglot-path-to-uri (buffer-file-name)))) #'ignore))

(defun lacuna-stop ()
  "Cancel every running answer and the indexing of sources."
  (interactive)
  (let ((server (lacuna--server)))
    (maphash (lambda (token _) (jsonrpc-notify server :window/workDoneProgress/cancel (list :token token)))
             (eglot--progress-reporters server))))

(defun lacuna-move (file)
  "Move the file of this buffer to FILE, a name or a folder.
Citations in it, and those that lead to it, follow."
  (interactive (list (read-file-name "Move to: " nil nil nil (file-name-nondirectory (or buffer-file-name "")))))
  (unless buffer-file-name (user-error "This buffer has no file"))
  (let* ((server (lacuna--server))
         (managed (bound-and-true-p eglot--managed-mode))
         (new (if (directory-name-p file) (expand-file-name (file-name-nondirectory buffer-file-name) file) (expand-file-name file)))
         (moved (list :files (vector (list :oldUri (eglot-path-to-uri buffer-file-name) :newUri (eglot-path-to-uri new))))))
    (when (file-exists-p new) (user-error "%s is there already" new))
    (unless (file-directory-p (file-name-directory new)) (user-error "There is no folder %s" (file-name-directory new)))
    (when-let* ((edit (jsonrpc-request server :workspace/willRenameFiles moved)))
      (eglot--apply-workspace-edit edit 'lacuna-move))
    (when managed (eglot--signal-textDocument/didClose))
    (let ((change-major-mode-with-file-name nil)) ; eglot would end with the mode
      (rename-visited-file new))
    (save-buffer)
    (when managed (eglot--signal-textDocument/didOpen))
    (jsonrpc-notify server :workspace/didRenameFiles moved)))

(defun lacuna-show-gaps ()
  "Show the open gaps of the workspace in a document.
Those that ask for nearly the same stand together."
  (interactive)
  (lacuna--about-workspace "lacuna.showGaps"))

(defun lacuna-set-up-sources (folder)
  "Answer questions from FOLDER, which lies in the project.
With a prefix argument choose between making a folder kb and opening
.lacuna.toml."
  (interactive (list (unless current-prefix-arg (read-directory-name "Folder with your documents: " nil nil t))))
  (lacuna--request
   (lacuna--server) "lacuna.setUpSources"
   (vector (append (list :v 1 :uri (eglot-path-to-uri default-directory))
                   (and folder (list :path (directory-file-name (expand-file-name folder))))))
   #'ignore))

(defun lacuna-forget-consent ()
  "Withdraw every consent to send to other machines."
  (interactive)
  (lacuna--about-workspace "lacuna.forgetConsent"))

(defvar-local lacuna--list-command nil "The command whose answer this list shows.")
(defvar-local lacuna--list-entries nil "The function that makes rows of that answer.")

(defun lacuna--fill (buffer server)
  "Ask SERVER again for the rows of the list in BUFFER."
  (with-current-buffer buffer
    (let ((entries lacuna--list-entries))
      (lacuna--request server lacuna--list-command (vector '(:version 1))
                       (lambda (answer)
                         (when (buffer-live-p buffer)
                           (with-current-buffer buffer
                             (setq tabulated-list-entries (funcall entries answer))
                             (tabulated-list-print t)
                             (when (and (null tabulated-list-entries) (plist-get answer :message))
                               (message "Lacuna: %s" (plist-get answer :message))))))))))

(defun lacuna--list (name mode command entries)
  "Show a list called NAME in major MODE.
ENTRIES makes its rows of what COMMAND answers."
  (let ((server (lacuna--server))
        (buffer (get-buffer-create name)))
    (with-current-buffer buffer
      (funcall mode)
      (setq lacuna--list-command command
            lacuna--list-entries entries)
      (setq-local revert-buffer-function (lambda (&rest _) (lacuna--fill buffer server))))
    (lacuna--fill buffer server)
    (pop-to-buffer buffer)))

(defun lacuna--visit ()
  "Visit the place of the row at point."
  (interactive)
  (pcase-let ((`(,file . ,line) (or (tabulated-list-get-id) (user-error "No row is here"))))
    (find-file-other-window file)
    (pcase line
      ((pred integerp) (goto-char (point-min)) (forward-line line))
      ((pred stringp) (goto-char (point-min)) (when (search-forward line nil t) (beginning-of-line))))))

(defvar-keymap lacuna-list-mode-map
  :doc "Keys of the lists of gaps and sources."
  :parent tabulated-list-mode-map
  "RET" #'lacuna--visit)

(define-derived-mode lacuna-gaps-mode tabulated-list-mode "Gaps"
  "What the sources do not know.
\\<lacuna-list-mode-map>\\[lacuna--visit] goes there, \\[revert-buffer] asks again."
  (use-local-map lacuna-list-mode-map)
  (setq tabulated-list-format [("Where" 24 t) ("Missing" 60 t) ("Question" 0 t)])
  (tabulated-list-init-header))

(define-derived-mode lacuna-stale-mode tabulated-list-mode "Stale"
  "What is no longer true in the notes.
\\<lacuna-list-mode-map>\\[lacuna--visit] goes there, \\[revert-buffer] compares again."
  (use-local-map lacuna-list-mode-map)
  (setq tabulated-list-format [("Where" 24 t) ("Mark" 20 t) ("No longer true" 0 t)])
  (tabulated-list-init-header))

(define-derived-mode lacuna-sources-mode tabulated-list-mode "Sources"
  "The files of the sources.
\\<lacuna-list-mode-map>\\[lacuna--visit] opens one, \\[revert-buffer] asks again."
  (use-local-map lacuna-list-mode-map)
  (setq tabulated-list-format [("Source" 14 t) ("State" 11 t) ("Passages" 9 nil) ("File" 44 t) ("Why" 0 t)])
  (tabulated-list-init-header))

(defun lacuna--gap-rows (answer)
  "Convert ANSWER, the gaps of the workspace, to rows."
  (mapcar
   (lambda (gap)
     (let* ((file (eglot-uri-to-path (plist-get gap :uri)))
            (line (plist-get (plist-get (plist-get gap :range) :start) :line))
            (question (or (plist-get gap :question) "")))
       (list (cons file (or line (car (split-string question "\n"))))
             (vector (concat (file-name-nondirectory file) (if line (format ":%d" (1+ line)) ""))
                     (plist-get gap :text) question))))
   (plist-get answer :gaps)))

(defun lacuna--stale-rows (answer)
  "Convert ANSWER, what is no longer true in the notes, to rows."
  (mapcar
   (lambda (mark)
     (let ((file (eglot-uri-to-path (plist-get mark :uri)))
           (line (plist-get (plist-get (plist-get mark :range) :start) :line)))
       (list (cons file line)
             (vector (format "%s:%d" (file-name-nondirectory file) (1+ line)) (plist-get mark :code) (plist-get mark :text)))))
   (plist-get answer :marks)))

(defun lacuna--source-rows (answer)
  "Convert ANSWER, the files of the sources, to rows."
  (cl-loop
   for folder across (plist-get answer :folders) append
   (cl-loop
    for source across (plist-get folder :sources) append
    (append
     (cl-loop
      for file across (plist-get source :files)
      collect (list (list (eglot-uri-to-path (plist-get file :uri)))
                    (vector (plist-get source :name) (if (eq (plist-get file :partly) t) "partly read" (plist-get file :state))
                            (number-to-string (or (plist-get file :passages) 0))
                            (plist-get file :path) (or (plist-get file :reason) ""))))
     ;; Files without text share a line, which leads to the folder of the source.
     (cl-loop
      for line across (or (plist-get source :others) [])
      collect (list (list (eglot-uri-to-path (plist-get source :root)))
                    (vector (plist-get source :name) "skipped" "0" "" line)))))))

;;;###autoload
(defun lacuna-gaps ()
  "List the open gaps of the workspace."
  (interactive)
  (lacuna--list "*Lacuna gaps*" #'lacuna-gaps-mode "lacuna.listGaps" #'lacuna--gap-rows))

;;;###autoload
(defun lacuna-stale ()
  "List what is no longer true in the notes of the workspace."
  (interactive)
  (lacuna--list "*Lacuna stale*" #'lacuna-stale-mode "lacuna.listStale" #'lacuna--stale-rows))

;;;###autoload
(defun lacuna-sources ()
  "List the files of the sources and whether each was indexed."
  (interactive)
  (lacuna--list "*Lacuna sources*" #'lacuna-sources-mode "lacuna.listSources" #'lacuna--source-rows))

(defun lacuna--brief (folder)
  "Describe the state of FOLDER in a few words."
  (let ((state (plist-get folder :state)) (gaps (or (plist-get folder :gaps) 0)) (percent (plist-get folder :percent)))
    (cond ((and (equal state "indexing") percent) (format "indexing %d%%" percent))
          ((not (equal state "ready")) state)
          ((= gaps 1) "1 gap")
          ((> gaps 1) (format "%d gaps" gaps))
          (t "ready"))))

(defun lacuna-mode-line ()
  "Return the state of the folder of this buffer, for the mode line."
  (let* ((server (and (bound-and-true-p eglot--managed-mode) (eglot-current-server)))
         (status (and (cl-typep server 'lacuna-server) (slot-value server 'status)))
         (folders (plist-get status :folders)))
    (cond ((or (null folders) (= (length folders) 0)) "")
          ((> (or (plist-get status :answering) 0) 0) " Lacuna: answering")
          ;; In the mode line a % begins a construct.
          (t (string-replace "%" "%%" (concat " Lacuna: " (mapconcat #'lacuna--brief folders ", ")))))))

;;;###autoload
(defun lacuna-status ()
  "Say what is indexed and which model answers."
  (interactive)
  (lacuna--request
   (lacuna--server) "lacuna.status" (vector '(:version 1))
   (lambda (status)
     (message "%s"
              (mapconcat
               (lambda (folder)
                 (format "%s: %s, %s; %d passages in %d files, %d skipped, %d failed; %d open gaps; model: %s"
                         (plist-get folder :name) (plist-get folder :state) (plist-get folder :message) (plist-get folder :passages) (plist-get folder :files)
                         (plist-get folder :skipped) (plist-get folder :failed) (plist-get folder :gaps)
                         (if (member (plist-get folder :model) '(nil "")) "none, quotes only" (plist-get folder :model))))
               (plist-get status :folders) "\n")))))

(provide 'lacuna)
;;; lacuna.el ends here
