package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/examples"
	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/server/setup"
	"lacuna/server/workspace"
)

// configJSON is the output of config --json.
type configJSON struct {
	Workspace     string             `json:"workspace"`
	UserFile      string             `json:"user_file"`
	WorkspaceFile string             `json:"workspace_file"`
	Settings      []settings.Entry   `json:"settings"`
	Problems      []settings.Problem `json:"problems"`
}

func configCommand() command {
	var asJSON bool
	return command{
		name:    "config",
		summary: "show the effective configuration and where each value came from",
		details: `
Prints every setting with its value and the layer that set it, and what was
wrong with the configuration. Layers, later ones stronger: defaults, your own
settings file, environment (LACUNA_…), the workspace's .lacuna.toml, flags. Keys
and headers are never shown. The exit code is 2 when something was wrong.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object") },
		run:   func(_ context.Context, p *program, _ []string) error { return p.config(asJSON) },
	}
}

func (p *program) config(asJSON bool) error {
	root, err := p.root("")
	if err != nil {
		return err
	}
	loaded := settings.Load(settings.Request{Root: root, UserFile: p.globals.config, Flags: p.globals.settings()})
	workspace.RememberSecrets(loaded.Settings)
	userFile := p.globals.config
	if userFile == "" {
		userFile = settings.UserFilePath()
	}
	shown := configJSON{
		Workspace: root, UserFile: userFile, WorkspaceFile: filepath.Join(root, settings.File),
		Settings: loaded.Entries(), Problems: append([]settings.Problem{}, loaded.Problems...),
	}
	if asJSON {
		err = p.printJSON(shown)
	} else {
		printConfig(p, shown)
	}
	if err == nil && len(loaded.Problems) > 0 {
		return exitCode(exitUsage)
	}
	return err
}

func printConfig(p *program, c configJSON) {
	fmt.Fprintf(p.out, "workspace       %s\nuser file       %s\nworkspace file  %s\n\n", printable(c.Workspace), printable(c.UserFile), printable(c.WorkspaceFile))
	for _, e := range c.Settings {
		if e.Value == "" && e.Origin.Layer == settings.Defaults {
			continue // not set, and nothing by default
		}
		fmt.Fprintf(p.out, "%s = %s  # %s\n", printable(e.Key), printable(fmt.Sprint(e.Value)), printable(e.Origin.String()))
	}
	if len(c.Problems) > 0 {
		fmt.Fprintln(p.out, "\nproblems:")
	}
	for _, problem := range c.Problems {
		fmt.Fprintf(p.out, "  %s\n", strings.TrimSpace(printable(problem.String())))
	}
}

// initOptions holds the flags of lacuna init.
type initOptions struct{ yes, dryRun, own bool }

func initCommand() command {
	var o initOptions
	return command{
		name:      "init",
		arguments: "[FOLDER]",
		summary:   "set up a folder: propose its sources, index them, try a question",
		details: `
Looks what is in FOLDER, or in this folder: an Obsidian vault, a Logseq graph, a
library of Zotero, the documentation of a project, PDF files, stored questions.
It shows what it would read, leave out and cannot read, asks once, writes the
sources into FOLDER/.lacuna.toml, indexes them, and asks a question made of one
of your headings, so that you see whether it works. It never overwrites: a
folder that is set up already is only indexed and tried.

With --own the sources go into your own settings file instead, and notes of
every folder are answered from them. Nothing is sent anywhere, and no document
is changed. Your home folder and the whole disk are refused.

The exit code is 0 when the folder is set up, or with --dry-run; 1 when nothing
was written, because you said no, nobody could be asked and --yes was not given,
or nothing can be read; 2 when the folder is refused.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.yes, "yes", false, "do not ask")
			f.BoolVar(&o.dryRun, "dry-run", false, "only show what would be read and written")
			f.BoolVar(&o.own, "own", false, "write into your own settings, for the notes of every folder")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) > 1 {
				return usagef("init: give one FOLDER, found %d\n%s", len(args), hint("init"))
			}
			return p.init(ctx, o, args)
		},
	}
}

func (p *program) init(ctx context.Context, o initOptions, args []string) error {
	folder, err := p.root("")
	if len(args) == 1 {
		folder, err = filepath.Abs(args[0])
	} else if p.globals.workspace == "" {
		folder, err = os.Getwd()
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(folder); err != nil {
		return usageError{fmt.Errorf("init: %w", err)}
	} else if !info.IsDir() {
		return usagef("init: %s is not a folder", folder)
	}
	if why := setup.Refuse(folder); why != "" {
		return usagef("init: %s is not set up as a whole: %s. Name the folder with your notes or documents:\n  lacuna init FOLDER", folder, why)
	}
	root, at := folder, ""
	if enclosing, found := workspace.Find(folder); found {
		root = enclosing
	}
	loaded := settings.Load(settings.Request{Root: root, UserFile: p.globals.config, Flags: p.globals.settings()})
	if o.own {
		if at = cmp.Or(p.globals.config, settings.UserFilePath()); at == "" {
			return usagef("init: the system names no folder for your own settings; give --config FILE")
		}
	}
	if named := setup.Named(loaded.Settings.Sources, folder, o.own); named != "" {
		fmt.Fprintf(p.out, "%s is set up already: %s. Nothing was written.\n", printable(root), printable(named))
		if o.dryRun {
			return nil
		}
		return p.tryOut(ctx, root)
	}
	proposal, err := setup.Survey(ctx, folder, at, loaded.Settings.Sources)
	if err != nil {
		return err
	}
	fmt.Fprint(p.out, proposal)
	switch {
	case len(proposal.Sources) == 0:
		fmt.Fprintln(p.out, "\nIt holds nothing that Lacuna reads. Put documents into it, or name another folder.")
		return errNo
	case o.dryRun:
		return nil
	case !o.yes:
		yes, err := p.confirm(ctx)
		if err != nil {
			return err
		}
		if !yes {
			fmt.Fprintln(p.out, "Nothing was written.")
			return errNo
		}
	}
	if err := proposal.Write(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%s names the sources now.\n", printable(proposal.File))
	return p.tryOut(ctx, folder)
}

// confirm asks whether to set up what was shown. Where nobody can be asked, and at the end of input, it is a no.
func (p *program) confirm(ctx context.Context) (bool, error) {
	if !isTerminal(p.In) {
		fmt.Fprintln(p.out, "\nNobody can be asked here; with --yes it is done without asking.")
		return false, nil
	}
	if err := p.flush(); err != nil {
		return false, err
	}
	fmt.Fprint(p.Err, "\nSet this up? [yes, no] ")
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(p.In).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answers:
		return said == "y" || said == "yes", nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// tryOut indexes a workspace, asks a question of the user's own documents and says what comes next.
func (p *program) tryOut(ctx context.Context, root string) error {
	if err := p.flush(); err != nil {
		return err
	}
	w, err := p.openRequest(ctx, p.request(root))
	if err != nil {
		return err
	}
	defer w.Close()
	library, err := p.refresh(ctx, w)
	if err != nil {
		return err
	}
	if err := errNothing(w, "tried"); err != nil {
		return err
	}
	indexed, odd := 0, 0
	for _, s := range coverage(w, library) {
		indexed, odd = indexed+s.Indexed, odd+len(s.listed)
	}
	status := library.Status()
	fmt.Fprintf(p.out, "Read: %s and %s of %s.", messages.Count(status.Passages, "passage"), messages.Count(status.Pairs, "stored question"), messages.Count(indexed, "file"))
	if odd > 0 {
		fmt.Fprintf(p.out, " %s could not be read, or not whole; \"lacuna sources\" says why.", messages.Count(odd, "file"))
	}
	fmt.Fprintln(p.out)
	strategy, err := w.Strategy(answer.Request{System: answer.OfflineID})
	if err != nil {
		return err
	}
	proof, found, err := setup.Prove(ctx, library, strategy)
	switch {
	case err != nil:
		return err
	case found:
		fmt.Fprintf(p.out, "\nA question made of your own words, as a try:\n\n  %s\n\n", printable(proof.Question))
		p.printAnswer(w, proof.Result)
	case proof.Question == "":
		fmt.Fprint(p.out, "\nYour documents have no headings and titles to make a question of; ask one of your own: lacuna ask \"…?\"\n\n")
	default:
		fmt.Fprint(p.out, "\nNo question made of your headings was answered from its page; ask in your own words: lacuna ask \"…?\"\n\n")
	}
	fmt.Fprintf(p.out, `Next:
  1. Open a note of %s in your editor and write a question
     that ends in "?". Guides: docs/neovim.md, vscode.md, helix.md, emacs.md,
     vim.md, kate.md and obsidian.md.
  2. lacuna doctor   says whether all of it works.
`, printable(root))
	return nil
}

func demoCommand() command {
	var name string
	return command{
		name:      "demo",
		arguments: "[FOLDER]",
		summary:   "try Lacuna on an example: copy it, answer its questions",
		details: `
Copies an example that comes with the program into the new folder FOLDER, or
lacuna-demo in this folder: a note with questions, and pages to answer them
from. Reads the pages, answers the questions from them without a model, names
what the pages lack, and says how to open the note in your editor. The note
stays as it is, and nothing is sent anywhere. A folder that exists is not
touched.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&name, "example", examples.All()[0].Name, "copy the example `NAME`: clinic or garden")
		},
		run: func(ctx context.Context, p *program, args []string) error {
			if len(args) > 1 {
				return usagef("demo: give one FOLDER, found %d\n%s", len(args), hint("demo"))
			}
			i := slices.IndexFunc(examples.All(), func(e examples.Example) bool { return e.Name == name })
			if i < 0 {
				return usagef("demo: no example is called %q; known: clinic, garden\n%s", name, hint("demo"))
			}
			return p.demo(ctx, examples.All()[i], args)
		},
	}
}

func (p *program) demo(ctx context.Context, e examples.Example, args []string) error {
	folder, err := os.Getwd()
	if err == nil {
		folder = setup.FreeFolder(folder)
		if len(args) == 1 {
			folder, err = filepath.Abs(args[0])
		}
	}
	if err != nil {
		return err
	}
	if err := setup.CopyExample(e, folder); errors.Is(err, fs.ErrExist) {
		return usagef("demo: %s exists already and stays as it is; name another folder: lacuna demo FOLDER", folder)
	} else if err != nil {
		return fmt.Errorf("copy the example: %w; name a folder where you may write: lacuna demo FOLDER", err)
	}
	fmt.Fprintf(p.out, "The example is in %s: %s.\n\n", printable(folder), e.About)
	if err := p.flush(); err != nil {
		return err
	}
	w, err := p.openRequest(ctx, p.request(folder))
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := p.refresh(ctx, w); err != nil {
		return err
	}
	f, err := openNote(filepath.Join(folder, e.Note))
	if err != nil {
		return err
	}
	questions := f.note.OpenQuestions()
	results, err := answersOffline(ctx, w, f, questions)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s asks %s. From these pages alone, without a model:\n\n", e.Note, count(len(questions), "question"))
	for i, r := range results {
		p.printBrief(questions[i], handlers.Compose(r, f.path))
	}
	fmt.Fprintf(p.out, "Open %s: what the pages lack is marked, and a question is\nanswered by a key. Each editor is set up by its guide in docs.\n", e.Note)
	for _, c := range setup.EditorCommands(folder, e.Note) {
		fmt.Fprintf(p.out, "  %-9s %s\n", c.Editor, printable(c.Command))
	}
	fmt.Fprint(p.out, "\nThe same for your own documents: lacuna init FOLDER\n")
	return nil
}

// briefPlace is the length in bytes from which the text of a place that is not claimed to answer is left out.
const briefPlace = 300

// printBrief prints a question with the best quote of its answer or, if none answers, what is missing and the nearest place.
func (p *program) printBrief(q note.Question, block note.Block) {
	fmt.Fprintf(p.out, "  %s\n", printable(q.Text))
	if len(block.Bullets) == 0 {
		fmt.Fprintf(p.out, "    %s\n\n", printable(block.Status))
		return
	}
	best := block.Bullets[0]
	if best.Basis != note.Quote {
		fmt.Fprintf(p.out, "    %s\n", printable(block.Status))
	}
	if text := best.String(); best.Basis == note.Quote || len(text) < briefPlace {
		fmt.Fprintf(p.out, "    %s\n", printable(text))
	}
	for _, s := range block.Sources {
		if slices.Contains(best.Citations, s.N) {
			fmt.Fprintf(p.out, "    [%d] %s\n", s.N, printable(s.Label))
		}
	}
	fmt.Fprintln(p.out)
}
