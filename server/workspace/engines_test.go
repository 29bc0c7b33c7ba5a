package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
)

// watched is an engine within the process that records what it is asked, and can be away or lie.
type watched struct {
	engine.Memory
	mu       sync.Mutex
	searches []string // as JSON
	err      error    // of every call that reads
	cutAfter int      // searches, if it is not 0: later ones find the engine away
	lies     bool
}

func (e *watched) Get(ctx context.Context, collection string, id engine.ID) (engine.Object, error) {
	if e.err != nil {
		return engine.Object{}, e.err
	}
	return e.Memory.Get(ctx, collection, id)
}

func (e *watched) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	text, err := json.Marshal(q)
	e.mu.Lock()
	e.searches = append(e.searches, string(text))
	if e.cutAfter > 0 && len(e.searches) > e.cutAfter {
		err = engine.ErrAway
	}
	e.mu.Unlock()
	if err = cmp.Or(err, e.err); err != nil {
		return nil, err
	}
	objects, err := e.Memory.Search(ctx, collection, q)
	for i := range objects {
		if objects[i].Content = slices.Clone(objects[i].Content); e.lies {
			objects[i].Content[len(objects[i].Content)/2] ^= 1
		}
	}
	return objects, err
}

// ward is what a team publishes, with a page that it keeps to itself.
var ward = map[string]string{
	"guide/gout.md":   "# Gout\n\nAn attack of gout is treated with colchicine or naproxen.\n\n## Prevention\n\nAllopurinol taken every day prevents attacks of gout.\n",
	"guide/asthma.md": "# Asthma\n\nSalbutamol opens the airways within minutes.\n",
	"guide/staff.md":  "---\nlacuna: private\n---\n\n# Rota\n\nThe rota of the ward is kept by the sister in charge.\n",
	".lacuna.toml":    "[[source]]\nname = \"guide\"\npath = \"guide\"\n",
}

// published pushes the ward's pages into an engine and returns the publisher's key.
func published(t *testing.T, e engine.Engine) string {
	t.Helper()
	key, _, err := share.OpenKey(filepath.Join(t.TempDir(), "publisher.key"), "ward")
	if err != nil {
		t.Fatal(err)
	}
	root := folder(t, ward)
	w := openedOn(t, root, t.TempDir(), "")
	source, err := w.Pushable(t.Context(), "guide", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if !slices.Equal(source.Withheld, []string{"staff.md"}) {
		t.Errorf("withheld: %q", source.Withheld)
	}
	compared := 0
	if _, err := source.Push(t.Context(), e, remote.Options{Key: key, Now: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), Check: func(ctx context.Context, g *remote.Generation) (err error) {
		compared, err = CheckPushed(ctx, source.Library, g, 200)
		return err
	}}); err != nil || compared == 0 {
		t.Fatal(compared, err)
	}
	if e, is := e.(*watched); is {
		e.searches = nil // of the comparison
	}
	return key.Public
}

// withEngine is a workspace whose user has a source in an engine on a host.
func withEngine(t *testing.T, e engine.Engine, key, host, index string, change func(*Request), more string) *Workspace {
	t.Helper()
	root := folder(t, map[string]string{"kb/fever.md": "# Fever\n\nParacetamol lowers a fever within the hour.\n"})
	user := filepath.Join(t.TempDir(), "user.toml")
	text := more + fmt.Sprintf("\n[[source]]\nname = \"guide\"\nengine = \"weaviate\"\naddress = [\"https://%[1]s:8080\"]\ngrpc = [\"%[1]s:50051\"]\npublisher = %[2]q\n", host, key)
	if err := os.WriteFile(user, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Request{Root: root, UserFile: user, Flags: map[string]string{"index.dir": index}}
	r.Connect = func(context.Context, settings.EngineSource) (engine.Engine, error) { return e, nil }
	if change != nil {
		change(&r)
	}
	w, err := Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(w.Problems()) > 0 {
		t.Fatal(w.Problems())
	}
	return w
}

const wardQuestion = "How is an attack of gout treated?"

func TestEngineAnswersWhatThisMachineDoesNot(t *testing.T) {
	e := &watched{}
	key := published(t, e)
	index := t.TempDir()
	w := withEngine(t, e, key, "127.0.0.1", index, nil, "")
	beyond := answer.Request{Beyond: true}

	if r := ask(t, w, beyond, "What lowers a fever?"); r.State != answer.Answered || len(e.searches) > 0 {
		t.Errorf("%s, and %d searches went out for what is here", r.State, len(e.searches))
	}
	if r := ask(t, w, answer.Request{}, wardQuestion); r.State == answer.Answered || len(e.searches) > 0 {
		t.Errorf("%s, and %d searches went out though nobody chose that", r.State, len(e.searches))
	}
	r := ask(t, w, beyond, wardQuestion)
	if r.State != answer.Answered || len(r.Citations) == 0 || len(r.Away) > 0 {
		t.Fatalf("%s, away %v, searches %q", r.State, r.Away, e.searches)
	}
	c := r.Citations[0]
	if c.Quote != "An attack of gout is treated with colchicine or naproxen." || c.Passage.Published == nil || !strings.HasPrefix(c.Passage.Published.By, "ward+") {
		t.Errorf("%q, %+v", c.Quote, c.Passage.Published)
	}
	if text, err := ingest.Resolve(c.Place()); err != nil || text != c.Quote {
		t.Errorf("at %v stands %q, %v", c.Place(), text, err)
	}
	if _, found := w.Library().Passage(c.Passage.ID); !found {
		t.Error("a note cannot show what it cites")
	}
	again := withEngine(t, e, key, "127.0.0.1", index, func(r *Request) { r.Root, r.UserFile = w.Root(), w.UserFile() }, "")
	if p, found := again.Library().Passage(c.Passage.ID); !found || p.Published == nil || p.Published.By != c.Passage.Published.By {
		t.Error("a note cannot show what it cites after a restart")
	}
}

// TestEngineAway: what cannot be asked is told, and nothing is said of what may be there.
func TestEngineAway(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(*watched)
		in   string
	}{
		"away":    {func(e *watched) { e.err = engine.ErrAway }, "away"},
		"cut off": {func(e *watched) { e.cutAfter = 1 }, "away"},
		"refuses": {func(e *watched) { e.err = engine.ErrRefused }, "refuses"},
		"altered": {func(e *watched) { e.lies = true }, "not what the publisher signed"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &watched{}
			w := withEngine(t, e, published(t, e), "127.0.0.1", t.TempDir(), nil, "")
			test.fail(e)
			r := ask(t, w, answer.Request{Beyond: true}, wardQuestion)
			if len(r.Away) != 1 || r.Away[0].Source != "guide" || !strings.Contains(r.Away[0].Err.Error(), test.in) || len(r.Gaps) > 0 || r.State == answer.Answered {
				t.Errorf("%s, away %v, gaps %v", r.State, r.Away, r.Gaps)
			}
		})
	}
}

// TestEngineIsAskedWithConsent: an engine on another machine is another machine.
func TestEngineIsAskedWithConsent(t *testing.T) {
	e := &watched{}
	key := published(t, e)
	var shown []llm.Outbound
	send := false
	w := withEngine(t, e, key, "engine.example", t.TempDir(), func(r *Request) {
		r.Consent = func(_ context.Context, out llm.Outbound) (bool, error) { shown = append(shown, out); return send, nil }
	}, "")
	if r := ask(t, w, answer.Request{Beyond: true}, wardQuestion); len(r.Away) != 1 || len(e.searches) > 0 || len(shown) == 0 || shown[0].Host != "engine.example:50051" {
		t.Errorf("away %v, %d searches, shown %v", r.Away, len(e.searches), shown)
	}
	send = true
	if r := ask(t, w, answer.Request{Beyond: true}, wardQuestion); r.State != answer.Answered {
		t.Errorf("%s, away %v", r.State, r.Away)
	}
	lines, searches := 0, 0
	if _, err := w.Audit(func(r AuditRecord) error {
		if lines++; r.Role == engineRole && r.Host == "engine.example:50051" {
			searches++
		}
		return nil
	}); err != nil || searches < len(e.searches) || lines != searches {
		t.Errorf("%d of %d lines for %d searches, %v", searches, lines, len(e.searches), err)
	}
	if got := w.Consents(); len(got) != 1 || got[0].Host != "engine.example:50051" {
		t.Errorf("%v", got)
	}
}

// TestEngineGetsNoIdentifiers: neither words nor numbers that identify somebody are made part of a search.
func TestEngineGetsNoIdentifiers(t *testing.T) {
	e := &watched{}
	key := published(t, e)
	w := withEngine(t, e, key, "127.0.0.1", t.TempDir(), nil, "")
	ask(t, w, answer.Request{Beyond: true}, "Mrs. Adelheid Quillfeather, MRN 48213377, born 3 May 1951, has gout; how is an attack treated?")
	sent := strings.ToLower(strings.Join(e.searches, "\n"))
	if !strings.Contains(sent, "gout") {
		t.Fatalf("it was not asked: %s", sent)
	}
	for _, held := range []string{"adelheid", "quill", "48213377", "1951"} {
		if strings.Contains(sent, held) {
			t.Errorf("%q was sent: %s", held, sent)
		}
	}
	strict := withEngine(t, e, key, "127.0.0.1", t.TempDir(), nil, "[privacy]\nredact = \"strict\"\n")
	before := len(e.searches)
	if r := ask(t, strict, answer.Request{Beyond: true}, "Mrs. Adelheid Quillfeather has gout; how is an attack treated?"); len(r.Away) != 1 || len(e.searches) != before {
		t.Errorf("strict: away %v, %d searches", r.Away, len(e.searches)-before)
	}
}

func TestEngineIsNotAskedOffline(t *testing.T) {
	e := &watched{}
	w := withEngine(t, e, published(t, e), "127.0.0.1", t.TempDir(), nil, "offline = true\n")
	if r := ask(t, w, answer.Request{Beyond: true}, wardQuestion); len(r.Away) != 1 || len(e.searches) > 0 {
		t.Errorf("away %v, %d searches", r.Away, len(e.searches))
	}
}
