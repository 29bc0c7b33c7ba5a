package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers/messages"
	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/server/reference"
	"lacuna/server/workspace"
)

// checkState is the result of a check.
type checkState string

const (
	healthy checkState = "ok"
	noted   checkState = "note" // worth knowing; nothing is broken
	faulty  checkState = "fault"
)

// finding is the result of one check.
type finding struct {
	Check string     `json:"check"`
	State checkState `json:"state"`
	Text  string     `json:"text"`
}

// doctor collects findings. They contain nothing of the user's notes and sources except file names, and the
// home folder is shortened, so that the output can be pasted into a report.
type doctor struct {
	home     string
	findings []finding
}

func doctorCommand() command {
	var asJSON, reading, engines bool
	return command{
		name:    "doctor",
		summary: "check set-up, index, sources, models and editors",
		details: `
Checks the configuration, the sources, the index and its folder, and which
editors are there, and tries every model, the encoder and the reranker of the
settings with one small request that holds nothing of yours. Where pdftotext or
pandoc is installed, it compares what they read from some of your files with
what Lacuna searches. What it prints holds no text of notes or sources and no
key, and is safe to paste into a bug report. The exit code is 1 if it finds a
fault.

With --reading it compares all files, and prints the longest run of words that
is missing from each file with less than 90 % of the words: that is text of your
sources.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&asJSON, "json", false, "print one JSON object")
			f.BoolVar(&engines, "remote", false, "ask the engines of your sources how they are")
			f.BoolVar(&reading, "reading", false, "compare all files with what pdftotext and pandoc read, and quote what is missing")
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			return p.doctor(ctx, asJSON, reading, engines)
		},
	}
}

func (p *program) doctor(ctx context.Context, asJSON, reading, engines bool) error {
	root, err := p.root("")
	if err != nil {
		return err
	}
	d := &doctor{}
	if home, err := os.UserHomeDir(); err == nil {
		d.home = home
	}
	d.program()
	if w, err := workspace.Open(ctx, p.request(root)); err != nil {
		d.add("index", faulty, "cannot be opened: %v", err)
	} else {
		d.configuration(w, cmp.Or(p.globals.config, settings.UserFilePath()))
		d.sources(w)
		d.reading(ctx, w, reading)
		d.index(w)
		d.models(ctx, w)
		if engines {
			d.remotes(ctx, w)
		}
		d.gate(w)
		d.history(w)
		if err := w.Close(); err != nil {
			d.add("index", faulty, "cannot be closed: %v", err)
		}
	}
	d.editors()
	return d.print(p, asJSON)
}

func (d *doctor) add(check string, state checkState, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if d.home != "" && d.home != string(filepath.Separator) {
		text = strings.ReplaceAll(text, d.home, "~")
	}
	d.findings = append(d.findings, finding{check, state, printable(text)})
}

func (d *doctor) print(p *program, asJSON bool) error {
	sick := false
	for _, f := range d.findings {
		sick = sick || f.State == faulty
		if !asJSON {
			fmt.Fprintf(p.out, "%-6s %-14s %s\n", f.State, f.Check, f.Text)
		}
	}
	if asJSON {
		if err := p.printJSON(struct {
			Healthy  bool      `json:"healthy"`
			Findings []finding `json:"findings"`
		}{!sick, d.findings}); err != nil {
			return err
		}
	}
	if sick {
		return errNo
	}
	return nil
}

func (d *doctor) program() {
	v := build()
	d.add("program", healthy, "lacuna %s, %s, %s, vectors: %s", v.Version, v.Go, v.Platform, v.SIMD)
	if path, err := exec.LookPath("lacuna"); err != nil {
		d.add("program", noted, "lacuna is not on the PATH; editors need its full path then")
	} else {
		d.add("program", healthy, "on the PATH as %s", path)
	}
}

func (d *doctor) configuration(w *workspace.Workspace, userFile string) {
	for _, problem := range w.Problems() {
		d.add("configuration", faulty, "%s", problem)
	}
	d.settingsFile("your settings", userFile, true)
	d.settingsFile("the workspace's settings", filepath.Join(w.Root(), settings.File), false)
	d.add("workspace", healthy, "%s", w.Root())
}

// settingsFile checks a settings file. A file that can widen what is allowed must not be writable by others;
// a workspace's file can only narrow, and is often shared with a group.
func (d *doctor) settingsFile(whose, path string, widens bool) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add("configuration", healthy, "%s: none (%s)", whose, path)
	case err != nil:
		d.add("configuration", faulty, "%s: %v", whose, err)
	case widens && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		d.add("configuration", faulty, "%s: %s can be changed by others (mode %04o); chmod go-w it", whose, path, info.Mode().Perm())
	default:
		d.add("configuration", healthy, "%s: %s", whose, path)
	}
}

func (d *doctor) sources(w *workspace.Workspace) {
	if len(w.Sources()) == 0 && len(w.Engines()) > 0 {
		d.add("sources", healthy, "none on this machine; engines keep %s", strings.Join(w.Engines(), ", "))
	} else if len(w.Sources()) == 0 {
		d.add("sources", faulty, "none; put files into %s or name a [[source]] in %s",
			filepath.Join(w.Root(), "kb"), filepath.Join(w.Root(), settings.File))
	}
	reports := coverage(w, w.Library())
	for i, s := range w.Sources() {
		if _, err := os.Stat(s.Path); err != nil {
			d.add("sources", faulty, "%s: %v", s.Name, err)
			continue
		}
		r := reports[i]
		state := healthy
		if r.Failed > 0 {
			state = faulty
		} else if r.Indexed == 0 || r.Partly > 0 || r.Skipped > r.totals.Ignored() {
			state = noted
		}
		partly := ""
		if r.Partly > 0 {
			partly = fmt.Sprintf(" (%d partly read)", r.Partly)
		}
		kept := messages.Kept(&r.totals.Coverage)
		if kept != "" {
			kept = ", " + kept
		}
		d.add("sources", state, "%s (%s in %s): indexed %d%s, skipped %d, failed %d files; %s%s",
			s.Name, r.Kind, r.Path, r.Indexed, partly, r.Skipped, r.Failed, count(r.Passages, "passage"), kept)
	}
}

// Bounds of the comparison with other programs, without --reading.
const (
	sampleFiles = 12               // for each program
	sampleTime  = 20 * time.Second // for each program
	mostNamed   = 50               // files named for each program
	quotedWords = 16               // of a missing run, at its beginning
	fewWords    = 20               // of a file below which a share says nothing
)

// reading compares the passages with what other programs read from the same files. Without all it takes a
// sample, the files with the least share of their words first, and quotes nothing.
func (d *doctor) reading(ctx context.Context, w *workspace.Workspace, all bool) {
	programs, absent := reference.Find()
	if len(absent) > 0 {
		d.add("reading", healthy, "%s not on the PATH; if you install it, the doctor compares what it reads with what is searched", strings.Join(absent, " and "))
	}
	passages := map[string][]*passage.Passage{}
	for _, p := range w.Library().Passages() {
		passages[p.Place.File] = append(passages[p.Place.File], p)
	}
	for _, program := range programs {
		files := slices.DeleteFunc(filesOf(w, w.Library()), func(f ingest.FileReport) bool {
			_, excluded := f.Excluded()
			return excluded || f.Limited() != "" || !program.Reads(f.File)
		})
		if len(files) == 0 {
			d.add("reading", healthy, "%s is there, and reads none of the files that are indexed", program.Name)
			continue
		}
		d.compare(ctx, w, &program, files, passages, all)
	}
}

// compare compares files with what a program reads.
func (d *doctor) compare(ctx context.Context, w *workspace.Workspace, program *reference.Program, files []ingest.FileReport, passages map[string][]*passage.Passage, all bool) {
	slices.SortStableFunc(files, func(a, b ingest.FileReport) int {
		return cmp.Or(cmp.Compare(promise(&a), promise(&b)), cmp.Compare(spread(a.File), spread(b.File)))
	})
	began, total := time.Now(), len(files)
	var shares []float64
	var bad []misread
	for i := range files {
		if f := &files[i]; ctx.Err() == nil && (all || len(shares) < sampleFiles && time.Since(began) < sampleTime) {
			text, err := program.Text(ctx, f.File)
			if err != nil {
				continue // it is no reference then
			}
			compared := reference.Compare(text, passages[f.File])
			if compared.Words < fewWords {
				continue
			}
			share := compared.Share(leftOut(f))
			shares = append(shares, share)
			if share < ingest.PartlyBelow {
				bad = append(bad, misread{f, share, compared})
			}
		}
	}
	if len(shares) == 0 {
		d.add("reading", healthy, "%s reads no text from the files that are indexed", program.Name)
		return
	}
	slices.Sort(shares)
	state, others := healthy, " (--reading takes all)"
	if len(bad) > 0 {
		state = noted
	}
	if all {
		others = fmt.Sprintf(" (of the others it reads fewer than %d words)", fewWords)
	}
	if len(shares) == total {
		others = ""
	}
	d.add("reading", state, "%s: %d of %s compared%s; of the words that it reads, the median file has %s in its passages; %d of the files have less than 90 %%",
		program.Name, len(shares), messages.Count(total, "file"), others, messages.Percent(shares[len(shares)/2]), len(bad))
	slices.SortStableFunc(bad, func(a, b misread) int { return cmp.Compare(a.share, b.share) })
	for i, m := range bad {
		if i == mostNamed {
			d.add("reading", noted, "and %s", messages.Count(len(bad)-mostNamed, "more file"))
			break
		}
		d.add("reading", noted, "%s", m.text(w, program, all))
	}
}

// misread is a file of which another program reads more.
type misread struct {
	file     *ingest.FileReport
	share    float64
	compared reference.Comparison
}

// text says what is missing, in words of the file if quote is set.
func (m *misread) text(w *workspace.Workspace, program *reference.Program, quote bool) string {
	text := fmt.Sprintf("%s: %s of the %s that %s reads are searched", display(w.Root(), m.file.File),
		messages.Percent(m.share), messages.Count(m.compared.Words, "word"), program.Name)
	switch {
	case m.file.State != ingest.Indexed:
		return fmt.Sprintf("%s; the file is %s: %s", text, m.file.State, m.file.Reason)
	case len(m.compared.Run) < 2:
		return text
	}
	text += fmt.Sprintf("; the longest run that is missing has %s, %s into the file", messages.Count(len(m.compared.Run), "word"), messages.Percent(float64(m.compared.After)/float64(m.compared.Words)))
	if quote {
		text += fmt.Sprintf(": “%s”", messages.Shorten(strings.Join(m.compared.Run[:min(len(m.compared.Run), quotedWords)], " "), 200))
	}
	return text
}

// promise sorts files by how much of them is likely to be searched, the least first.
func promise(f *ingest.FileReport) float64 {
	if f.State != ingest.Indexed {
		return 0
	}
	return 1 + min(f.Share(), 0.97) // above that, any may come
}

// spread returns a number that orders files by chance, but always in the same way.
func spread(file string) uint32 { return crc32.ChecksumIEEE([]byte(file)) }

// leftOut returns the words that readers left out of a file on purpose.
func leftOut(f *ingest.FileReport) int {
	words := 0
	for _, o := range f.Omitted {
		if !o.Lost {
			words += o.Words
		}
	}
	return words
}

func (d *doctor) index(w *workspace.Workspace) {
	if err := w.Writable(); err != nil {
		d.add("index", noted, "cannot be written (%v): what is there is searched, or else a temporary index; set LACUNA_CACHE_DIR to a folder that can be written", err)
		if status := w.Library().Status(); status.Passages+status.Pairs == 0 {
			return
		}
	}
	d.private("index", w.IndexDir(), true)
	size, err := sizeOf(w.IndexDir())
	if err != nil {
		d.add("index", faulty, "cannot be read: %v", err)
	}
	status := w.Library().Status()
	if status.Passages+status.Pairs == 0 {
		d.add("index", noted, "empty; lacuna index builds it")
		return
	}
	d.add("index", healthy, "%s, %s, %.1f MB; %s", count(status.Passages, "passage"), count(status.Pairs, "stored question"),
		float64(size)/1e6, ability(status))
	if !status.Calibrated {
		d.add("index", noted, "the gap judge is not fitted to these sources yet; lacuna index does it")
	}
}

// gate checks the policy that decides whether the sources are searched.
func (d *doctor) gate(w *workspace.Workspace) {
	switch policy, err := w.Gate(); {
	case err != nil:
		d.add("gate", faulty, "%v", err)
	case policy == nil:
		d.add("gate", healthy, "every question is answered from the sources")
	default:
		d.add("gate", healthy, "%s decides whether a question is answered from the sources", policy.Name())
	}
}

// history checks the stored history of accepted answers, if there is one.
func (d *doctor) history(w *workspace.Workspace) {
	pairs, pairsErr := w.History().Pairs()
	labels, labelsErr := w.History().Labels()
	unread, unreadErr := w.History().BadLines()
	if err := errors.Join(pairsErr, labelsErr, unreadErr); err != nil {
		d.add("history", faulty, "cannot be read: %v", err)
		return
	}
	if len(pairs)+len(labels) > 0 {
		d.add("history", healthy, "%s, %s", count(len(pairs), "accepted answer"), count(len(labels), "label"))
	}
	for _, u := range unread {
		d.add("history", faulty, textUnread, u.File, u.Line)
	}
}

// private checks that only the user can read a file or folder.
func (d *doctor) private(check, path string, mustExist bool) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !mustExist:
		d.add(check, noted, "%s does not exist", path)
	case err != nil:
		d.add(check, faulty, "%v", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		d.add(check, faulty, "%s can be read by others (mode %04o); chmod go-rwx it", path, info.Mode().Perm())
	default:
		d.add(check, healthy, "%s is yours alone", path)
	}
}

func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process may have tidied up
		}
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

func (d *doctor) editors() {
	found := false
	for _, editor := range []struct{ name, program string }{
		{"Neovim", "nvim"}, {"Visual Studio Code", "code"}, {"Helix", "hx"}, {"Emacs", "emacs"},
	} {
		if path, err := exec.LookPath(editor.program); err == nil {
			found = true
			d.add("editors", healthy, "%s: %s", editor.name, path)
		}
	}
	if !found {
		d.add("editors", noted, "none of nvim, code, hx and emacs is on the PATH")
	}
}

// models sends a small request to each endpoint of the settings.
func (d *doctor) models(ctx context.Context, w *workspace.Workspace) {
	set, client := w.Settings(), w.Client()
	configured := set.Model.BaseURL != "" || len(set.Model.Roles) > 0 || set.Embedding.BaseURL != "" || set.Rerank.BaseURL != "" || set.Entailment.BaseURL != ""
	switch {
	case !configured:
		d.add("models", healthy, "none set; questions are answered offline, from the sources alone")
		return
	case set.Offline:
		d.add("models", healthy, "offline = true (%s): nothing is connected to", w.Loaded().Origins["offline"])
		return
	case client == nil:
		d.add("models", faulty, "none can be used, see the configuration above")
		return
	}
	for _, player := range players(set, client) {
		tried, err := client.Try(ctx, player.role)
		detail := ""
		if tried.SystemMerged {
			detail = textJoined
		}
		d.tried("models", player.name, tried.Duration, err, detail)
		switch {
		case err != nil:
		case !tried.ObeysSystem:
			d.add("models", noted, textUnheeded, player.name)
		case !tried.ReadsData:
			d.add("models", noted, textUnreadData, player.name)
		}
	}
	if set.Model.BaseURL == "" && !client.Has(llm.Reader) {
		d.add("models", noted, "no model answers: model.base_url is not set")
	}
	if client.CanEmbed() {
		took, dimensions, err := client.TryEmbedding(ctx)
		d.tried("embedding", set.Embedding.Model, took, err, fmt.Sprintf(", vectors of %d numbers", dimensions))
	}
	if client.CanRerank() {
		took, err := client.TryRerank(ctx)
		d.tried("rerank", cmp.Or(set.Rerank.Model, "the reranker"), took, err, "")
	}
	if client.CanInfer() {
		took, err := client.TryInference(ctx)
		d.tried("entailment", cmp.Or(set.Entailment.Model, "the cross-encoder"), took, err, "")
	}
	d.add("privacy", healthy, "%s", d.privacy(w))
}

// Text about a model that answers, but does not follow its instructions.
const (
	textJoined     = "; it has no system message, so the instructions begin the user message"
	textUnheeded   = "%s ignored the system message: its chat template may drop it, or the model is too small to follow it; answers will have no citations"
	textUnreadData = "%s ignored the data in the user message: the model is too small, or its server truncates prompts (Ollama: OLLAMA_CONTEXT_LENGTH)"
)

// player is a model at an address, with one of its roles.
type player struct {
	role llm.Role
	name string // model, host and roles, for people
}

// players lists each model at each address once, with all its roles.
func players(set settings.Settings, client *llm.Client) []player {
	type place struct{ base, model string }
	var order []place
	roles := map[place][]string{}
	for _, role := range llm.Roles() {
		if !client.Has(role) {
			continue
		}
		chat := set.Model.Role(string(role))
		at := place{chat.BaseURL, chat.Model}
		if roles[at] == nil {
			order = append(order, at)
		}
		roles[at] = append(roles[at], string(role))
	}
	var all []player
	for _, at := range order {
		all = append(all, player{
			role: llm.Role(roles[at][0]),
			name: fmt.Sprintf("%s (%s)", at.model, strings.Join(roles[at], ", ")),
		})
	}
	return all
}

// tried adds the result of a small request.
func (d *doctor) tried(check, name string, took time.Duration, err error, detail string) {
	switch {
	case err == nil:
		d.add(check, healthy, "%s answers in %d ms%s", name, took.Milliseconds(), detail)
	case errors.Is(err, messages.ErrNotAllowed):
		d.add(check, noted, "%s was not tried: %s", name, faultText(err))
	default:
		d.add(check, faulty, "%s: %s", name, faultText(err))
	}
}

// privacy says on one line what is done with the text that is sent.
func (d *doctor) privacy(w *workspace.Workspace) string {
	set := w.Settings().Privacy
	parts := []string{"redact = " + set.Redact}
	if set.Audit {
		parts = append(parts, "requests are logged in "+w.AuditFile())
	} else {
		parts = append(parts, "requests are not logged")
	}
	var hosts []string
	for _, c := range w.Consents() {
		hosts = append(hosts, c.Host)
	}
	if len(hosts) > 0 {
		parts = append(parts, "allowed: "+strings.Join(hosts, ", "))
	}
	return strings.Join(parts, "; ")
}
